import * as React from 'react';

import { Buttons, type IButtonProps } from '../components/button';
import { type IContext, type IOffer, isUnderWay, stateOf } from './state';

/** Buttons that forward their presses to the owner of the report, one after the other. */
export function ReportButtons(
  props: IContext & { buttons: readonly IOffer[] }
): React.JSX.Element {
  return <Buttons buttons={props.buttons.map(item => buttonOf(props, item))} />;
}

/**
 * While its remedy is in progress, a button stays in the tab order, so that focus is
 * not lost, but does nothing.
 */
function buttonOf(
  context: IContext,
  { label, description, action, remedyId, primary }: IOffer
): IButtonProps {
  const isResting =
    action !== 'cancel' &&
    remedyId !== undefined &&
    isUnderWay(stateOf(context, remedyId));
  const press = (): void => {
    context.onAction(action, remedyId ?? null);
  };
  return {
    label,
    description,
    isPrimary: primary,
    focusKey: `${action} ${remedyId ?? ''}`,
    onPress: isResting ? null : press
  };
}

/**
 * Loaded into each worker before Playwright is.
 *
 * Playwright tells every new context of a browser what colours a person prefers, over
 * a command of WebDriver BiDi that no released Firefox knows, and opens none where that
 * fails. Here it asks how the session is instead, which changes nothing. Where a later
 * Playwright has other words, nothing is replaced.
 */
const Module = require('node:module');

const UNKNOWN = 'send("emulation.setMediaFeaturesOverride"';
const HARMLESS = 'send("session.status"';

const load = Module._extensions['.js'];
Module._extensions['.js'] = (module, filename) => {
  if (filename.endsWith('coreBundle.js')) {
    const compile = module._compile;
    module._compile = function (source, name, ...others) {
      const changed = source.replaceAll(UNKNOWN, HARMLESS);
      return compile.call(this, changed, name, ...others);
    };
  }
  return load(module, filename);
};

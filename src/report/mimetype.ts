/** The MIME type of a report in an output. */
export const MIME_TYPE = 'application/vnd.gpu-headroom.report+json';

/**
 * What JupyterLab's builder leaves undone (`labextension.webpackConfig` of its documentation).
 */

/**
 * The same sources make the same bundle in every folder: webpack would number the module
 * that tells what we share by the folder's path. `make release` compares two builds.
 */
class SameInEveryFolder {
  apply(compiler) {
    compiler.hooks.compilation.tap('same', ({ chunkGraph, hooks }) => {
      hooks.beforeModuleIds.tap('same', modules => {
        const entry = [...modules].find(
          ({ constructor }) => constructor.name === 'ContainerEntryModule'
        );
        if (entry) {
          chunkGraph.setModuleId(entry, 'entry');
        }
      });
    });
  }
}

module.exports = {
  module: {
    // It minifies scripts and no styles, which every page loads at its start.
    rules: [
      {
        test: /\.css$/,
        enforce: 'pre',
        loader: 'esbuild-loader',
        options: { loader: 'css', minify: true }
      }
    ]
  },
  plugins: [new SameInEveryFolder()]
};

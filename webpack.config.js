/**
 * What JupyterLab's builder leaves undone: it minifies scripts and no styles, which
 * every page loads at its start (`labextension.webpackConfig` of its documentation).
 */
module.exports = {
  module: {
    rules: [
      {
        test: /\.css$/,
        enforce: 'pre',
        loader: 'esbuild-loader',
        options: { loader: 'css', minify: true }
      }
    ]
  }
};

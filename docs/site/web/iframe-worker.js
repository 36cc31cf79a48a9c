// Browsers start no worker from a file. Where the site is read from a disk, this runs the script of the search in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = `<script>
        window.postMessage = data => parent.dispatchEvent(new CustomEvent("from-frame", { detail: [window, data] }));
        window.importScripts = (...urls) => Promise.all(urls.map(url => new Promise((resolve, reject) => {
          const script = document.createElement("script");
          Object.assign(script, { src: url, onload: resolve, onerror: reject });
          document.head.append(script);
        })));
      <\/script><script src="${url}"><\/script>`;
      this.ready = new Promise(resolve => frame.addEventListener("load", () => resolve(frame.contentWindow)));
      window.addEventListener("from-frame", event => {
        if (event.detail[0] === frame.contentWindow)
          this.dispatchEvent(new MessageEvent("message", { data: event.detail[1] }));
      });
      document.body.append(frame);
    }

    postMessage(data) {
      this.ready.then(inside => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}

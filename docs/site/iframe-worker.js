// Search runs in a worker, which browsers refuse to pages opened as files. There a hidden frame does its work.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.work = frame.contentWindow
      this.work.document.write(`<script>postMessage = message => parent.postMessage(message, "*")</` + `script>` +
                               `<script src="${new URL(url, location)}"></` + `script>`)
      this.work.document.close()
      this.ready = new Promise(done => frame.addEventListener("load", done, {once: true}))
      window.addEventListener("message", event => {
        if (event.source !== this.work) return
        const answer = new MessageEvent("message", {data: event.data})
        this.dispatchEvent(answer)
        this.onmessage?.(answer)
      })
    }
    postMessage(message) { this.ready.then(() => this.work.dispatchEvent(new MessageEvent("message", {data: message}))) }
    terminate() { this.work.frameElement.remove() }
  }

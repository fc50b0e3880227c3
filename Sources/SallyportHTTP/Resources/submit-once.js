(() => {
  let sent = new WeakMap();
  addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    if (10000 > event.timeStamp - sent.get(event.target)) event.preventDefault();
    else sent.set(event.target, event.timeStamp);
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) sent = new WeakMap();
  });
})();

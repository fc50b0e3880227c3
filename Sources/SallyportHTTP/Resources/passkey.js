(() => {
  const form = document.getElementById("passkey");
  if (!form || !window.PublicKeyCredential || !navigator.credentials) return;
  const isNew = form.dataset.kind === "create";
  const decode = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const encode = (bytes) => {
    const text = String.fromCharCode(...new Uint8Array(bytes));
    return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  };
  const options = () => {
    const options = JSON.parse(form.dataset.options);
    options.challenge = decode(options.challenge);
    if (options.user) options.user.id = decode(options.user.id);
    for (const list of [options.excludeCredentials, options.allowCredentials]) {
      for (const credential of list || []) credential.id = decode(credential.id);
    }
    return options;
  };
  const json = (credential) => {
    const response = { clientDataJSON: encode(credential.response.clientDataJSON) };
    for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (credential.response[name]) response[name] = encode(credential.response[name]);
    }
    if (credential.response.getTransports) response.transports = credential.response.getTransports();
    const id = encode(credential.rawId);
    return JSON.stringify({ id, rawId: id, type: credential.type, response, clientExtensionResults: {} });
  };
  let submitted = -Infinity;
  const submit = () => {
    // While the first request runs, another one would replace its response.
    if (10000 > performance.now() - submitted) return;
    submitted = performance.now();
    const device = document.getElementById("public-device");
    if (device && device.checked) form.elements["public-device"].value = "on";
    HTMLFormElement.prototype.submit.call(form);
  };
  const send = (credential) => {
    // The challenge can be used only once.
    if (form.elements.response.value) return;
    form.elements.response.value = json(credential);
    submit();
  };
  addEventListener("pageshow", (event) => {
    if (event.persisted) submitted = -Infinity;
  });
  const status = document.getElementById("passkey-status");
  const waiting = new AbortController();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    waiting.abort();
    status.hidden = true;
    // After a stopped request, or with the Back button, the page still has a response. It is sent again, so that the
    // server shows whether it was stored or is no longer valid. Another passkey could replace one that was stored.
    if (form.elements.response.value) return submit();
    try {
      const request = { publicKey: options() };
      send(await (isNew ? navigator.credentials.create(request) : navigator.credentials.get(request)));
    } catch (error) {
      status.textContent = status.dataset[error.name === "InvalidStateError" ? "exists" : "failed"];
      status.hidden = false;
    }
  });
  form.hidden = false;
  if (isNew || !PublicKeyCredential.isConditionalMediationAvailable) return;
  // Offers passkeys in the field for the user name, but not before the user has begun to use the page, because some
  // authenticators respond without any action by the user.
  const events = ["pointermove", "pointerdown", "keydown"];
  const offer = async (event) => {
    if (event.type === "keydown" && event.key !== "Tab" && event.key !== "ArrowDown") return;
    for (const name of events) removeEventListener(name, offer, true);
    try {
      if (!await PublicKeyCredential.isConditionalMediationAvailable()) return;
      send(await navigator.credentials.get({ publicKey: options(), mediation: "conditional", signal: waiting.signal }));
    } catch {
      // The user chose something else.
    }
  };
  for (const name of events) addEventListener(name, offer, true);
})();

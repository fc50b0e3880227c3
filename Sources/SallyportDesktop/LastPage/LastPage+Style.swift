extension LastPage {
  /// The look of the server's pages, cut down to what this page needs; the colours are the same.
  static let style = """
    :root {
      color-scheme: light dark;
      --page: #f1eee7;
      --card: #fffefb;
      --ink: #1f2328;
      --quiet: #595c5f;
      --line: #ddd8cc;
      --accent: #1d5c4d;
      --warn-edge: #9a6700;
      --alert-edge: #b3261e;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --page: #131618;
        --card: #1c2023;
        --ink: #eceae4;
        --quiet: #aeb1b1;
        --line: #363b3f;
        --accent: #86d3bb;
        --warn-edge: #c99a3a;
        --alert-edge: #f2857b;
      }
    }
    *, *::before { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
    body {
      margin: 0;
      min-height: 100vh;
      min-height: 100svh;
      padding: clamp(2.5rem, 18vh, 10rem) 1rem 3rem;
      background: var(--page);
      color: var(--ink);
      font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif;
      overflow-wrap: anywhere;
    }
    main {
      position: relative;
      max-width: 27rem;
      margin: 0 auto;
      padding: 2rem 1.5rem;
      text-align: center;
      background: var(--card);
      border: 1px solid var(--line);
      border-top: 4px solid var(--accent);
      border-radius: 0 0 10px 10px;
    }
    main::before {
      content: "";
      position: absolute;
      inset: -12px -1px auto;
      height: 8px;
      background: linear-gradient(90deg, var(--accent) 0 30%, transparent 30% 70%, var(--accent) 70%) 0 0 / 32px 8px round;
    }
    svg { width: 4rem; height: 4rem; margin-bottom: 1rem; }
    .gate { fill: var(--accent); }
    .denied .gate { fill: var(--warn-edge); }
    .failed .gate { fill: var(--alert-edge); }
    .sign { fill: none; stroke: var(--card); stroke-width: 6; stroke-linecap: round; stroke-linejoin: round; }
    h1 { margin: 0 0 0.75rem; font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; }
    p { margin: 0.5rem 0 0; }
    bdi { font-weight: 600; }
    .quiet { color: var(--quiet); font-size: 0.9375rem; }
    @media (forced-colors: active) {
      main::before { display: none; }
      .gate { fill: CanvasText; }
      .sign { stroke: Canvas; }
    }
    """
}

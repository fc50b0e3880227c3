import SallyportLook

extension LastPage {
  static let style =
    Look.style + """
      body { padding: clamp(2.5rem, 18vh, 10rem) 1rem 3rem; }
      main { padding: 2rem 1.5rem; text-align: center; }
      svg { width: 4rem; height: 4rem; margin-bottom: 1rem; }
      .gate { fill: var(--accent); }
      .denied .gate { fill: var(--warn-edge); }
      .failed .gate { fill: var(--alert-edge); }
      .sign { fill: none; stroke: var(--card); stroke-width: 6; stroke-linecap: round; stroke-linejoin: round; }
      h1 { margin-bottom: 0.75rem; }
      p + p { margin-top: 0.5rem; }
      bdi { font-weight: 600; }
      @media (forced-colors: active) {
        .gate { fill: CanvasText; }
        .sign { stroke: Canvas; }
      }
      """
}

/// The style sheet of all pages, light and dark, for screens from 360 pixels.
public enum Stylesheet {
  public static let text: StaticString = #"""
    :root {
      color-scheme: light dark;
      --ground: light-dark(#f6f7f5, #12171a);
      --card: light-dark(#ffffff, #1a2125);
      --line: light-dark(#dfe3e0, #2d373d);
      --ink: light-dark(#182126, #e8edee);
      --soft: light-dark(#55626a, #a5b1b7);
      --accent: light-dark(#0b6b62, #5cc9bb);
      --on-accent: light-dark(#ffffff, #0d1f1d);
      --track: light-dark(#e6eae7, #2b353a);
      --ok: light-dark(#1f7a4d, #58c08a);
      --attention: light-dark(#8a5a00, #e3b04b);
      --critical: light-dark(#b3420a, #f0894f);
      --exceeded: light-dark(#b01e1e, #f47c7c);
      --round: 10px;
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
    }
    :root[data-theme="light"] { color-scheme: light; }
    :root[data-theme="dark"] { color-scheme: dark; }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--ground); color: var(--ink); }
    a { color: var(--accent); }
    h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; }
    h2 { font-size: 1.1rem; margin: 0 0 .75rem; }
    h3 { font-size: 1rem; margin: 0; }
    p { margin: .25rem 0 .75rem; overflow-wrap: anywhere; }
    code { font: .875em ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace;
      overflow-wrap: anywhere; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
    .soft { color: var(--soft); }
    .small { font-size: .875rem; }
    .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden;
      clip-path: inset(50%); white-space: nowrap; }
    .skip { position: absolute; left: -999px; }
    .skip:focus { left: 1rem; top: 1rem; z-index: 2; padding: .5rem 1rem; background: var(--card); }

    /* The frame */
    .frame { display: grid; grid-template-columns: 13.5rem minmax(0, 1fr); min-height: 100vh; }
    .side { border-right: 1px solid var(--line); padding: 1.25rem .75rem; display: flex;
      flex-direction: column; gap: 1.25rem; background: var(--card); }
    .brand { display: flex; align-items: center; gap: .6rem; padding: 0 .5rem; font-weight: 650;
      color: var(--ink); text-decoration: none; font-size: 1.1rem; }
    .brand svg { width: 1.5rem; height: 1.5rem; fill: none; stroke: var(--accent);
      stroke-width: 2.2; stroke-linecap: round; }
    .side ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .15rem; }
    .side nav a { display: block; padding: .4rem .6rem; border-radius: 8px; color: var(--ink);
      text-decoration: none; }
    .side nav a:hover { background: var(--track); }
    .side nav a[aria-current] { background: var(--accent); color: var(--on-accent); }
    .side .foot { margin-top: auto; display: grid; gap: .6rem; padding: 0 .5rem; }
    main { padding: 1.75rem clamp(1rem, 3vw, 2.5rem) 3rem; max-width: 78rem; width: 100%; }
    .head { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: baseline;
      justify-content: space-between; margin-bottom: 1.25rem; }
    .head .actions { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
    .stack { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); }
    .card { background: var(--card); border: 1px solid var(--line); border-radius: var(--round);
      padding: 1.1rem 1.25rem; min-width: 0; }
    .stack > .head { margin-bottom: 0; }
    .stack > .head h2, .stack > .head .tabs { margin: 0; }
    .stack > div:empty { display: none; }
    .columns { display: grid; gap: 1.25rem;
      grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }

    /* Figures */
    .tiles { display: grid; gap: 1rem; margin: 0;
      grid-template-columns: repeat(auto-fit, minmax(min(100%, 8.5rem), 1fr)); }
    .tile { background: var(--card); border: 1px solid var(--line); border-radius: var(--round);
      padding: .9rem 1.1rem; }
    .tile dt { color: var(--soft); font-size: .875rem; }
    .tile dd { margin: 0; font-size: 1.55rem; font-weight: 620; line-height: 1.25;
      font-variant-numeric: tabular-nums; }
    .tile.exceeded dd { color: var(--exceeded); }
    dl.facts { display: grid; gap: .35rem 1.25rem; margin: 0;
      grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); }
    dl.facts dt { color: var(--soft); }
    dl.facts dd { margin: 0; overflow-wrap: anywhere; }

    /* Limits */
    .limit { display: block; width: 100%; height: .7rem; border-radius: 99px; }
    .limit .track { fill: var(--track); }
    .limit .used { fill: var(--ok); }
    .limit .held { fill: var(--ok); opacity: .4; }
    .limit.attention .used, .limit.attention .held { fill: var(--attention); }
    .limit.critical .used, .limit.critical .held { fill: var(--critical); }
    .limit.exceeded .used, .limit.exceeded .held { fill: var(--exceeded); }
    .chip { display: inline-block; padding: 0 .55rem; border-radius: 99px; font-size: .8125rem;
      font-weight: 600; border: 1px solid currentColor; white-space: nowrap; }
    .lock { width: .8em; height: .8em; margin-right: .3em; fill: currentColor; }
    .lock .bow { fill: none; stroke: currentColor; stroke-width: 1.4; }
    .chip.ok { color: var(--ok); }
    .chip.attention { color: var(--attention); }
    .chip.critical { color: var(--critical); }
    .chip.exceeded { color: var(--exceeded); }
    .chip.plain { color: var(--soft); }
    .budgets { list-style: none; margin: 0; padding: 0; display: grid; gap: 1.1rem; }
    .budget { display: grid; gap: .35rem; min-width: 0; }
    .budget .line { display: flex; flex-wrap: wrap; justify-content: space-between;
      gap: .1rem 1rem; align-items: baseline; }
    .budget .share { font-weight: 620; font-variant-numeric: tabular-nums; }
    .tiers { list-style: none; margin: 0 0 1rem; padding: 0; display: grid; gap: .75rem .25rem;
      grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); }
    .tiers li { display: grid; gap: .2rem; min-width: 0; }
    .notice { border-left: 4px solid var(--accent); }
    .notice.attention { border-left-color: var(--attention); }
    .notice.exceeded { border-left-color: var(--exceeded); }
    .notice p:last-child { margin-bottom: 0; }
    p.notice:not(.card) { padding-left: .75rem; }
    p.notice.card { padding: .7rem 1rem; margin: .75rem 0 0; }
    .stack > p.notice.card { margin: 0; }
    #cost { margin-top: 1rem; }

    /* Tables */
    /* A shadow at an edge says that the table goes on behind it. */
    .scroll { overflow-x: auto; position: relative;
      background: linear-gradient(to right, var(--card) 40%, transparent) left / 2.5rem 100%,
        linear-gradient(to left, var(--card) 40%, transparent) right / 2.5rem 100%,
        linear-gradient(to right, var(--line), transparent) left / .8rem 100%,
        linear-gradient(to left, var(--line), transparent) right / .8rem 100%;
      background-repeat: no-repeat; background-attachment: local, local, scroll, scroll; }
    table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
    th, td { text-align: left; padding: .45rem .75rem .45rem 0; vertical-align: top;
      border-bottom: 1px solid var(--line); }
    thead th { color: var(--soft); font-weight: 550; font-size: .8125rem; white-space: nowrap; }
    tbody th { font-weight: 550; }
    th.id { min-width: 12rem; max-width: 20rem; overflow-wrap: anywhere; }
    tbody tr:last-child > * { border-bottom: 0; }
    tfoot th, tfoot td { border-top: 2px solid var(--line); border-bottom: 0; font-weight: 620; }
    .figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    td.moment { white-space: nowrap; }
    td.list { min-width: 14rem; }
    td form { margin: 0; }
    td button { white-space: nowrap; }

    /* Charts */
    .chart { margin: 0; min-width: 0; }
    .chart figcaption { font-weight: 600; margin-bottom: .6rem; }
    .plot { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .6rem; }
    .plot svg { width: 100%; height: 10.5rem; display: block; }
    .plot rect { fill: var(--accent); }
    .plot rect:hover { fill: var(--ink); }
    .plot .grid { stroke: var(--line); stroke-width: 1; fill: none;
      vector-effect: non-scaling-stroke; }
    .axis { display: flex; flex-direction: column; justify-content: space-between;
      text-align: right; font-size: .75rem; color: var(--soft); margin: -.5rem 0; }
    .labels { display: flex; justify-content: space-between; font-size: .75rem;
      color: var(--soft); padding: .3rem 0 0 3rem; gap: .5rem; }
    .labels span:only-child { margin: 0 auto; }
    details summary { cursor: pointer; color: var(--accent); font-size: .875rem;
      margin-top: .5rem; }

    /* Forms */
    form.fields { display: grid; gap: .9rem; max-width: 34rem; }
    form.filters { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
    .field { display: grid; gap: .2rem; min-width: 0; }
    .field label, .field .label, legend { font-size: .875rem; font-weight: 550; }
    .field .hint { font-size: .8125rem; color: var(--soft); }
    fieldset { border: 1px solid var(--line); border-radius: var(--round); margin: 0;
      padding: .75rem 1rem 1rem; display: grid; gap: .75rem; min-width: 0; }
    input, select, button, .button { font: inherit; border-radius: 8px; padding: .42rem .7rem;
      border: 1px solid var(--soft); background: var(--card); color: var(--ink); max-width: 100%;
      min-width: 0; min-height: 2.45rem; }
    input[type="checkbox"], input[type="radio"] { width: 1.1rem; height: 1.1rem;
      accent-color: var(--accent); }
    .check { display: flex; gap: .5rem; align-items: center; }
    button, .button { cursor: pointer; text-decoration: none; font-weight: 550;
      display: inline-block; }
    button:hover, .button:hover { border-color: var(--accent); }
    button.primary, .button.primary { background: var(--accent); border-color: var(--accent);
      color: var(--on-accent); }
    button.danger { color: var(--exceeded); border-color: var(--exceeded); }
    button.quiet { border-color: transparent; background: none; color: var(--accent); padding: 0;
      min-height: 0; text-decoration: underline; text-align: left; font-weight: 400;
      font-size: .875rem; }
    .inline { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
    .tabs { display: flex; flex-wrap: wrap; gap: .35rem; list-style: none; margin: 0 0 .75rem;
      padding: 0; }
    .tabs a { padding: .2rem .7rem; border: 1px solid var(--line); border-radius: 99px;
      text-decoration: none; font-size: .875rem; color: var(--ink); display: block; }
    .tabs a[aria-current] { background: var(--accent); color: var(--on-accent);
      border-color: var(--accent); }
    .secret { padding: .75rem 1rem; border: 1px dashed var(--accent); border-radius: 8px;
      font-size: 1.05rem; }
    pre { overflow-x: auto; margin: 0; font-size: .8125rem; white-space: pre-wrap;
      overflow-wrap: anywhere; }

    /* A page of its own: signing in, and the widget */
    .alone { min-height: 100vh; display: grid; place-items: center; padding: 1rem; }
    .alone .card { width: min(100%, 24rem); display: grid; gap: 1rem; }
    .alone main { padding: 0; width: min(100%, 24rem); }
    .widget { padding: .75rem; }
    .widget main { padding: 0; max-width: none; }

    @media (max-width: 50rem) {
      .frame { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr; }
      .side { border-right: 0; border-bottom: 1px solid var(--line); padding: .75rem;
        gap: .6rem; min-width: 0; }
      .side nav ul { display: flex; overflow-x: auto; }
      .side nav a { white-space: nowrap; }
      .side .foot { display: flex; flex-wrap: wrap; margin-top: 0; gap: .5rem 1rem; }
      main { padding-top: 1.25rem; }
      .scroll td:not(.figure) { min-width: 7rem; }
      th.id { min-width: 9rem; }
      /* The first column stays in sight while the others scroll. */
      .scroll tbody th { position: sticky; left: 0; background: var(--card); }
      .tile dd { font-size: 1.25rem; }
      .tile { padding: .7rem .85rem; }
      dl.facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
      dl.facts dd { margin-bottom: .5rem; }
    }
    @media (prefers-reduced-motion: no-preference) {
      .limit .used, .limit .held { transition: width .4s, x .4s; }
    }
    """#
}

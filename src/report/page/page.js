// What the page can do beyond being read. Everything is shown without it; nothing is fetched.
(() => {
  'use strict';
  const root = document.documentElement;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const say = (text) => { one('#announce').textContent = text; };
  root.classList.add('js');

  // ---- light and dark
  const themes = ['automatic', 'dark', 'light'];
  let theme = 0;
  one('#theme').addEventListener('click', () => {
    theme = (theme + 1) % themes.length;
    if (theme === 0) delete root.dataset.theme;
    else root.dataset.theme = themes[theme];
    one('#theme').textContent = `Theme: ${themes[theme]}`;
  });

  // ---- what is folded away: open where a link leads, and on paper
  const unfold = (target) => {
    if (!target) return;
    [...all('.fold', target).slice(0, target.matches('section') ? 1 : 0), target.closest('.fold')]
      .forEach((fold) => { if (fold) fold.open = true; });
  };
  const open_target = () => unfold(location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null);
  addEventListener('hashchange', open_target);
  all('a[href^="#"]').forEach((link) => link.addEventListener('click', () => unfold(one(link.getAttribute('href')))));
  open_target();
  let opened = [];
  const open_for_print = (printing) => {
    if (printing) {
      const closed = all('.fold, #grids details, #protocol details').filter((fold) => !fold.open);
      closed.forEach((fold) => { fold.open = true; });
      opened.push(...closed);
    } else {
      opened.forEach((fold) => { fold.open = false; });
      opened = [];
    }
  };
  addEventListener('beforeprint', () => open_for_print(true));
  addEventListener('afterprint', () => open_for_print(false));
  matchMedia('print').addEventListener('change', (event) => open_for_print(event.matches));

  // ---- the table: the first rows, or all
  const table = one('#methods');
  const all_button = one('#show-all');
  const mark_rest = () => {
    let place = 0;
    [...table.tBodies[0].rows].forEach((row) => {
      if (!row.hidden) place += 1;
      row.classList.toggle('rest', place > Number(all_button.dataset.first) && !row.classList.contains('always'));
    });
  };
  if (all_button) {
    const words = all_button.textContent;
    all_button.addEventListener('click', () => {
      const short = table.classList.toggle('short');
      all_button.setAttribute('aria-expanded', String(!short));
      all_button.textContent = short ? words : 'Show fewer';
    });
  }

  // ---- the table: order
  const headings = all('thead th', table);
  const value_of = (row, column) => {
    if (column === 0) return row.dataset.method;
    const text = row.cells[column].dataset.value;
    return text === 'none' ? null : Number(text);
  };
  const compare = (a, b) => (typeof a === 'string' ? a.localeCompare(b) : a - b);
  headings.forEach((heading, column) => {
    one('.sort', heading).addEventListener('click', () => {
      const now = heading.getAttribute('aria-sort');
      const first = heading.dataset.better === 'higher' ? 'descending' : 'ascending';
      const order = now === 'none' ? first : now === 'ascending' ? 'descending' : 'ascending';
      headings.forEach((other) => other.setAttribute('aria-sort', 'none'));
      heading.setAttribute('aria-sort', order);
      const body = table.tBodies[0];
      const rows = [...body.rows].map((row) => [value_of(row, column), row]);
      // What has no value stays last either way.
      rows.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null);
        return order === 'ascending' ? compare(a, b) : compare(b, a);
      });
      rows.forEach(([, row]) => body.append(row));
      if (all_button) mark_rest();
      say(`Sorted by ${one('.sort', heading).textContent.trim()}, ${order}`);
    });
  });

  // ---- the table: what is shown
  const metric_boxes = all('[data-show-metric]');
  const method_boxes = all('[data-show-method]');
  const show_metrics = () => {
    const shown = new Set(metric_boxes.filter((box) => box.checked).map((box) => box.dataset.showMetric));
    all('[data-metric]', table).forEach((cell) => { cell.hidden = !shown.has(cell.dataset.metric); });
  };
  const show_methods = () => {
    const shown = new Set(method_boxes.filter((box) => box.checked).map((box) => box.dataset.showMethod));
    all('tr[data-method]').forEach((row) => { row.hidden = !shown.has(row.dataset.method); });
    if (all_button) mark_rest();
    // In figures methods that were not chosen stay as a trace, so that nothing moves.
    all('#figures .credence-figure [data-method]').forEach((mark) => {
      if (mark.closest('.method-figure')) return;
      mark.classList.toggle('off', !shown.has(mark.dataset.method));
    });
    all('option', one('#explore-method')).forEach((option) => { option.hidden = !shown.has(option.value); });
  };
  metric_boxes.forEach((box) => box.addEventListener('change', show_metrics));
  method_boxes.forEach((box) => box.addEventListener('change', show_methods));
  const usual = new Set(metric_boxes.filter((box) => box.checked).map((box) => box.dataset.showMetric));
  all('[data-choose]').forEach((button) => button.addEventListener('click', () => {
    const [what, which] = button.dataset.choose.split('-');
    if (what === 'metrics') {
      metric_boxes.forEach((box) => { box.checked = which === 'all' || usual.has(box.dataset.showMetric); });
      show_metrics();
    } else {
      method_boxes.forEach((box) => { box.checked = which === 'all'; });
      show_methods();
    }
  }));
  one('#show-intervals').addEventListener('change', (event) => {
    root.classList.toggle('no-intervals', !event.target.checked);
  });
  show_metrics();

  // ---- the table: as text
  const plain = (cell, intervals) => {
    const copy = cell.cloneNode(true);
    all('.info, .tip, .badge, .hidden, [aria-hidden]', copy).forEach((part) => part.remove());
    if (!intervals) all('small', copy).forEach((part) => part.remove());
    return copy.textContent.replace(/\s+/g, ' ').trim();
  };
  const writers = {
    Markdown: (rows) => {
      const line = (cells) => `| ${cells.map((c) => c.replace(/\|/g, '\\|')).join(' | ')} |`;
      const rule = `|---|${'--:|'.repeat(rows[0].length - 1)}`;
      return [line(rows[0]), rule, ...rows.slice(1).map(line)].join('\n');
    },
    LaTeX: (rows) => {
      const names = { '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}' };
      const safe = (text) => text.replace(/[\\~^&%$#_{}]/g, (c) => names[c] || `\\${c}`);
      const line = (cells) => `  ${cells.map(safe).join(' & ')} \\\\`;
      return ['% Needs \\usepackage{booktabs}.', `\\begin{tabular}{l${'r'.repeat(rows[0].length - 1)}}`,
        '  \\toprule', line(rows[0]), '  \\midrule', ...rows.slice(1).map(line), '  \\bottomrule',
        '\\end{tabular}'].join('\n');
    },
    CSV: (rows) => rows.map((cells) => cells.map((cell, column) => {
      // A name that a spreadsheet would run as a formula gets an apostrophe; "-" is no value.
      const text = cell === '-' ? '' : column === 0 && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
      return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
    }).join(',')).join('\n'),
  };
  all('[data-copy]').forEach((button) => button.addEventListener('click', () => {
    // Cells of a spreadsheet are numbers or they are of no use.
    const intervals = button.dataset.copy !== 'CSV' && !root.classList.contains('no-intervals');
    const short = table.classList.contains('short');
    const rows = [...table.rows].filter((row) => !row.hidden && !(short && row.classList.contains('rest')))
      .map((row) => [...row.cells].filter((cell) => !cell.hidden).map((cell) => plain(cell, intervals)));
    const box = one('#copied');
    box.hidden = false;
    box.value = `${writers[button.dataset.copy](rows)}\n`;
    box.focus();
    box.select();
    const done = () => say(`Table as ${button.dataset.copy} selected`);
    if (!navigator.clipboard) { done(); return; }
    navigator.clipboard.writeText(box.value).then(() => say(`Table copied as ${button.dataset.copy}`), done);
  }));

  // ---- definitions: Escape takes them away
  all('.info').forEach((button) => {
    button.addEventListener('pointerenter', () => button.classList.remove('quiet'));
    button.addEventListener('focus', () => button.classList.remove('quiet'));
    button.addEventListener('click', () => button.classList.toggle('quiet', false));
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') all('.info').forEach((button) => button.classList.add('quiet'));
  });

  // ---- what is wider than the screen can be scrolled by keys
  const reach_wide = () => all('.frame').forEach((frame) => {
    const wide = frame.scrollWidth > frame.clientWidth + 1;
    if (wide) frame.setAttribute('tabindex', '0');
    else frame.removeAttribute('tabindex');
  });
  addEventListener('resize', reach_wide);
  document.addEventListener('toggle', reach_wide, true);

  // ---- one metric at a time
  const metric_choice = one('#explore-metric');
  const show_bars = () => all('#bars figure').forEach((figure) => {
    figure.hidden = figure.dataset.figure !== metric_choice.value;
  });
  if (metric_choice) {
    metric_choice.addEventListener('change', show_bars);
    show_bars();
  }

  // ---- reliability, method by method
  const held = one('#examples') ? JSON.parse(one('#examples').textContent) : null;
  const holder = one('.method-figure');
  const kept = new Map(JSON.parse(one('#bins').textContent).map((method) => [method.name, method]));
  const method_choice = one('#explore-method');
  const bin_count = one('#bin-count');
  const info = one('#bin-info');
  const svg_ns = 'http://www.w3.org/2000/svg';
  const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
  const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

  const scores = new Map();
  if (held) {
    held.methods.forEach((method) => {
      const of = 'same' in method ? held.methods[method.same] : method;
      scores.set(method.name, {
        confidence: method.confidence,
        annotators: of.agreement,
        vote: [...of.correct].map(Number),
      });
    });
  }
  // Bin b of B is (b/B, (b+1)/B], the first closed at 0: as the program does it.
  const bin_of = (confidence, bins) => {
    const above = Math.min(Math.floor(confidence * bins), bins);
    return Math.max(confidence <= above / bins ? above - 1 : above, 0);
  };
  const with_interval = (bin, error) => {
    bin.low = Math.max(bin.agreement - 1.96 * error, 0);
    bin.high = Math.min(bin.agreement + 1.96 * error, 1);
    return bin;
  };
  const binned = (name, truth, bins) => {
    const { confidence, [truth]: agreement } = scores.get(name);
    const made = Array.from({ length: bins }, () => ({ count: 0, confidence: 0, agreement: 0, square: 0, noise: 0 }));
    confidence.forEach((c, i) => {
      const bin = made[bin_of(c, bins)];
      bin.count += 1;
      bin.confidence += c;
      bin.agreement += agreement[i];
      bin.square += agreement[i] * agreement[i];
      bin.noise += truth === 'vote' ? c * (1 - c) : held.counted ? c * (1 - c) / held.votes[i] : NaN;
    });
    made.forEach((bin) => {
      const n = bin.count;
      if (n === 0) return;
      bin.confidence /= n;
      bin.agreement /= n;
      bin.noise = Math.sqrt(bin.noise) / n;
      // Examples of one group vary together, and the page does not know whose they are.
      if (n > 1 && !held.grouped) {
        with_interval(bin, Math.sqrt(Math.max(bin.square / n - bin.agreement ** 2, 0) / (n - 1)));
      }
    });
    return made;
  };
  // The bins that the program made.
  const usual_bins = (name, truth) => kept.get(name).bins.map(([count, confidence, ...rest]) => {
    const [agreement, error, noise] = truth === 'vote' ? rest.slice(3) : rest;
    const bin = { count: agreement === null ? 0 : count, confidence, agreement, noise: noise ?? NaN };
    return error === null ? bin : with_interval(bin, error);
  });
  // The fullest bin of any method: all diagrams count on one scale.
  const fullest = new Map();
  const fullest_bin = (bins) => {
    if (!fullest.has(bins)) {
      const most = [...scores.values()].map(({ confidence }) => {
        const counts = Array(bins).fill(0);
        confidence.forEach((c) => { counts[bin_of(c, bins)] += 1; });
        return Math.max(...counts);
      });
      fullest.set(bins, Math.max(...most, 1));
    }
    return fullest.get(bins);
  };
  const calibration_error = (bins) => {
    const total = bins.reduce((sum, bin) => sum + bin.count, 0);
    return bins.reduce((sum, bin) => sum + bin.count * Math.abs(bin.confidence - bin.agreement), 0) / total;
  };

  const element = (name, attributes, parent) => {
    const made = document.createElementNS(svg_ns, name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    parent.append(made);
    return made;
  };
  const describe = (bin, from, to) => {
    const range = `${from.toFixed(2)}–${to.toFixed(2)}`;
    if (bin.count === 0) return `${range}: no examples`;
    const interval = bin.low === undefined ? '' : ` [${(100 * bin.low).toFixed(1)}, ${(100 * bin.high).toFixed(1)}]`;
    return `${range}: ${grouped(bin.count)} example${bin.count === 1 ? '' : 's'}, confidence ` +
      `${percent(bin.confidence)}, agreement ${percent(bin.agreement)}${interval}`;
  };

  // Draws bins into a panel in the marks that the program uses.
  const draw = (panel, bins, most, note) => {
    const at = (key) => Number(panel.getAttribute(`data-${key}`));
    const [x0, x1, y0, y1, strip0, strip1] = ['x0', 'x1', 'y0', 'y1', 'strip0', 'strip1'].map(at);
    const x = (share) => x0 + share * (x1 - x0);
    const y = (share) => y0 + Math.min(Math.max(share, 0), 1) * (y1 - y0);
    const id = panel.ownerSVGElement.id;
    const group = one('.bins', panel);
    group.replaceChildren();
    bins.forEach((bin, index) => {
      const from = index / bins.length;
      const to = (index + 1) / bins.length;
      const few = bin.count > 0 && bin.count < 20 ? 'bin f-few' : 'bin';
      const drawn = element('g', { class: few, 'data-bin': index, 'data-count': bin.count }, group);
      element('title', {}, drawn).textContent = describe(bin, from, to);
      const left = x(from);
      const width = x(to) - left;
      element('rect', { class: 'f-hit', x: left, y: y1, width, height: strip0 - y1 }, drawn);
      if (bin.count === 0) return;
      drawn.setAttribute('data-confidence', bin.confidence);
      drawn.setAttribute('data-agreement', bin.agreement);
      const inset = Math.min(1, width / 8);
      const box = { x: left + inset / 2, width: width - inset };
      const rect = (more, a, b) => element('rect', { ...box, ...more, y: Math.min(a, b), height: Math.abs(a - b) }, drawn);
      const top = y(bin.agreement);
      const said = y(bin.confidence);
      rect({ class: 'f-bar' }, y0, top);
      if (Number.isFinite(bin.noise)) {
        rect({ class: 'noise-band' }, y(bin.confidence + 1.96 * bin.noise), y(bin.confidence - 1.96 * bin.noise));
      }
      if (Math.abs(top - said) > 0.01) {
        const kind = bin.confidence > bin.agreement ? 'over' : 'under';
        rect({ class: `f-gap f-${kind}`, fill: `url(#${id}-${kind})` }, top, said);
      }
      element('line', { class: 'f-top', x1: box.x, x2: box.x + box.width, y1: top, y2: top }, drawn);
      if (bin.low !== undefined) {
        const middle = left + width / 2;
        element('line', { class: 'f-whisker', x1: middle, x2: middle, y1: y(bin.low), y2: y(bin.high) }, drawn);
      }
      rect({ class: 'f-count' }, strip0, strip0 + Math.min((strip1 - strip0) * bin.count / most, -0.75));
    });
    all('text', panel).forEach((text) => {
      const [left, height] = [Number(text.getAttribute('x')), Number(text.getAttribute('y'))];
      // The label at the top of the strip is what its scale ends at.
      if (most !== at('most') && left < x0 && Math.abs(height - strip1 - 3.5) < 2) text.textContent = grouped(most);
      if (/^ece_/.test(text.textContent)) text.textContent = note;
    });
  };

  const originals = new Map(all('.panel', holder).map((panel) => [panel, panel.innerHTML]));
  const drawn_first = one('.panel', holder).getAttribute('data-method');

  // One stop for the tab key per panel; arrows move among its bins.
  const make_reachable = (panel) => {
    all('.bin', panel).forEach((bin, index) => {
      bin.setAttribute('tabindex', index === 0 ? '0' : '-1');
      bin.setAttribute('role', 'img');
      bin.setAttribute('aria-label', one('title', bin).textContent);
    });
  };

  const redraw = (name) => {
    const bins = held ? Math.min(Math.max(Math.round(Number(bin_count.value)) || 1, 1), 100) : 0;
    const asked = held && scores.has(name) && String(bins) !== bin_count.dataset.usual;
    one('svg', holder).setAttribute('role', 'group');  // an image may not hold things that can be reached
    one('h4', holder).textContent = `Reliability of ${name}`;
    one('svg > title', holder).textContent = `Reliability of ${name}`;
    originals.forEach((markup, panel) => {
      const truth = panel.getAttribute('data-truth');
      panel.innerHTML = markup;
      panel.setAttribute('data-method', name);
      if (asked) {
        const made = binned(name, truth, bins);
        const metric = truth === 'vote' ? 'ece_voted' : 'ece_expected';
        draw(panel, made, fullest_bin(bins), `${metric} ${(100 * calibration_error(made)).toFixed(2)} points, ${bins} bins`);
      } else if (name !== drawn_first) {
        draw(panel, usual_bins(name, truth), Number(panel.getAttribute('data-most')), kept.get(name)[truth]);
      }
      make_reachable(panel);
    });
  };

  // A single panel takes the whole width: the picture is cut to it.
  const show_truth = () => {
    const truth = one('input[name="truth"]:checked').value;
    const svg = one('svg', holder);
    if (!svg.dataset.viewBox) {
      svg.dataset.viewBox = svg.getAttribute('viewBox');
      svg.dataset.width = svg.style.maxWidth;
    }
    const [, , width, height] = svg.dataset.viewBox.split(' ').map(Number);
    let box = [0, 0, width, height];
    all('.panel', svg).forEach((panel) => {
      const shown = truth === 'both' || panel.getAttribute('data-truth') === truth;
      panel.setAttribute('visibility', shown ? 'visible' : 'hidden');
      panel.setAttribute('aria-hidden', shown ? 'false' : 'true');
      panel.toggleAttribute('inert', !shown);
      all('.bin', panel).forEach((bin, index) => bin.setAttribute('tabindex', shown && index === 0 ? '0' : '-1'));
      if (shown && truth !== 'both') {
        const left = Number(panel.getAttribute('data-x0')) - 56;
        box = [left, 0, Number(panel.getAttribute('data-x1')) + 16 - left, Number(panel.getAttribute('data-strip0')) + 42];
      }
    });
    svg.setAttribute('viewBox', box.join(' '));
    svg.classList.toggle('single', truth !== 'both');
    svg.style.maxWidth = truth === 'both' ? svg.dataset.width : `${Math.ceil(box[2] * 1.5)}px`;
  };

  const explore = () => {
    redraw(method_choice.value);
    show_truth();
    all('#explorer .numbers').forEach((table_of) => { table_of.hidden = table_of.dataset.explore !== method_choice.value; });
    reach_wide();
  };
  // Two panels side by side are too small for a phone.
  if (matchMedia('(max-width: 40rem)').matches) one('input[name="truth"][value="annotators"]').checked = true;
  method_choice.addEventListener('change', explore);
  all('input[name="truth"]').forEach((radio) => radio.addEventListener('change', explore));
  if (bin_count) bin_count.addEventListener('change', explore);
  one('#show-noise').addEventListener('change', (event) => {
    root.classList.toggle('no-noise', !event.target.checked);
  });
  explore();

  // ---- what a bin holds
  const line = (parent, text) => {
    const paragraph = document.createElement('p');
    paragraph.textContent = text;
    parent.append(paragraph);
    return paragraph;
  };
  let last = null;
  const show_bin = (bin) => {
    if (bin === last) return;
    last = bin;
    const panel = bin.closest('.panel');
    const name = panel.getAttribute('data-method');
    const vote = panel.getAttribute('data-truth') === 'vote';
    info.replaceChildren();
    line(info, one('title', bin).textContent.replace('agreement', vote ? 'majority label agrees' : 'annotators who agree'));
    const [said, agreed] = ['data-confidence', 'data-agreement'].map((key) => bin.getAttribute(key));
    if (said !== null) {
      const gap = Number(said) - Number(agreed);
      line(info, `${gap > 0 ? 'Over' : 'Under'}-confident by ${(100 * Math.abs(gap)).toFixed(1)} points.`);
    }
    if (!held || !scores.has(name)) return;
    const index = Number(bin.getAttribute('data-bin'));
    const bins = all('.bin', panel).length;
    const inside = [];
    scores.get(name).confidence.forEach((c, i) => { if (bin_of(c, bins) === index) inside.push(i); });
    const list = line(info, inside.length === 0 ? 'None of them is in this page.' : 'Examples: ');
    inside.slice(0, 12).forEach((i, place) => {
      if (place > 0) list.append(', ');
      const name_of = document.createElement('bdi');
      name_of.textContent = held.names[i];
      list.append(name_of);
    });
    if (inside.length > 12) list.append(`, and ${grouped(inside.length - 12)} more of those in this page`);
  };
  const explorer = one('#explorer');
  const bin_at = (event) => event.target.closest && event.target.closest('.bin');
  ['pointerover', 'focusin', 'click'].forEach((kind) => explorer.addEventListener(kind, (event) => {
    const bin = bin_at(event);
    if (bin) show_bin(bin);
  }));
  explorer.addEventListener('keydown', (event) => {
    const bin = bin_at(event);
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (!bin || step === undefined) return;
    event.preventDefault();
    const bins = all('.bin', bin.closest('.panel'));
    const next = bins[Math.min(Math.max(bins.indexOf(bin) + step, 0), bins.length - 1)];
    bins.forEach((other) => other.setAttribute('tabindex', other === next ? '0' : '-1'));
    next.focus();
  });
  reach_wide();
})();

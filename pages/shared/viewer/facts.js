// What is known of a chunk, as rows of its card and as words for screen readers.

/** @param {number} count @returns {string} with thousands parted */
function grouped(count) {
  return count.toLocaleString("en");
}

/**
 * A half-open range and its length.
 * @param {number} start
 * @param {number} end
 * @returns {string} "310–702 (392)"
 */
function rangeWords(start, end) {
  return `${grouped(start)}–${grouped(end)} (${grouped(end - start)})`;
}

/**
 * What Python sent about a chunk.
 * @param {Model} model
 * @param {number} chunk
 * @returns {{length: string, page: string, path: string}} empty where nothing is known
 */
function factsOf({ facts }, chunk) {
  const { lengths, unit, pages, paths, names } = facts;
  return {
    length: lengths ? `${grouped(lengths[chunk])} ${unit}` : "",
    page: pages?.[chunk] > 0 ? String(pages[chunk]) : "",
    path: paths?.[chunk] >= 0 ? names[paths[chunk]].join(" › ") : "",
  };
}

/**
 * The rows of a chunk's card.
 * @param {Model} model
 * @param {number} chunk
 * @returns {[string, string][]} names and values
 */
function factRows(model, chunk) {
  const { points, starts, ends, bytes, hits } = model;
  const { length, page, path } = factsOf(model, chunk);
  const overlap = overlapWithNext(points, chunk);
  const hit = hits.get(chunk);
  const rows = [
    ["Code points", rangeWords(points.starts[chunk], points.ends[chunk])],
    ["Bytes", rangeWords(bytes.toBytes(starts[chunk]), bytes.toBytes(ends[chunk]))],
    ["Length", length],
    ["Page", page],
    ["Heading", path],
    ["Overlap", overlap > 0 ? `${grouped(overlap)} code points with the next` : ""],
    ["Rank", hit ? `${hit.rank}${hit.answers ? ", answers" : ", does not answer"}` : ""],
  ];
  return rows.filter(([, value]) => value);
}

/**
 * What screen readers say of a chunk that was chosen: more than the status line, as the card shows more.
 * @param {Model} model
 * @param {number} chunk
 * @returns {string}
 */
function spokenChunk(model, chunk) {
  const { length, page, path } = factsOf(model, chunk);
  const more = [length, page && `page ${page}`, path && `under ${path}`].filter(Boolean);
  return [describeChunk(model, chunk), ...more].join(", ");
}

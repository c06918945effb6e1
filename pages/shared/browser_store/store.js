// Keeps one project in the browser's own database, and gives it back to a new session.
//
// Python asks for one thing at a time: {job: "restore" | "save" | "forget", turn, project}. Texts of documents come
// as bytes on a mount of their own, so that a changed setting does not send them again; they arrive first.
//
// @ts-check

const DATABASE = "rag-chunking-lab";
const STORE = "kept";

/** @type {Promise<unknown>} What is written follows one after the other. */
let queue = Promise.resolve();
/** @type {Set<string>} What was done already: Streamlit calls a component again without news. */
const done = new Set();

/** @returns {Promise<IDBDatabase>} */
function database() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("another tab holds the store"));
  });
}

/**
 * Runs one transaction; what `work` returns counts when all of it has been stored.
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T> | void} work
 * @returns {Promise<T | undefined>}
 */
async function transact(mode, work) {
  const opened = await database();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = opened.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request ? request.result : undefined);
      transaction.onabort = () => reject(transaction.error ?? new Error("the store gave up"));
    });
  } finally {
    opened.close();
  }
}

/** @param {Uint8Array} bytes header length, header {turn, ids, bytes}, the texts in UTF-8 */
function readHeader(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  return { header: JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))), end: 4 + length };
}

/** @param {Uint8Array} bytes @returns {[string, Uint8Array][]} each text with its document's id */
function readTexts(bytes) {
  const { header, end } = readHeader(bytes);
  let at = end;
  return header.ids.map((/** @type {string} */ id, /** @type {number} */ place) => {
    const part = bytes.slice(at, at + header.bytes[place]);
    at += header.bytes[place];
    return [id, part];
  });
}

/** @param {Uint8Array} data */
async function keepTexts(data) {
  const texts = readTexts(data);
  const known = new Set(await transact("readonly", (store) => store.getAllKeys()));
  const fresh = texts.filter(([id]) => !known.has(`text ${id}`));
  const wanted = new Set(texts.map(([id]) => `text ${id}`));
  await transact("readwrite", (store) => {
    for (const key of known) if (String(key).startsWith("text ") && !wanted.has(String(key))) store.delete(key);
    for (const [id, bytes] of fresh) store.put(bytes, `text ${id}`);
  });
}

/** @returns {Promise<{project: string, texts: Record<string, string>} | null>} */
async function restore() {
  const project = await transact("readonly", (store) => store.get("project"));
  if (typeof project !== "string") return null;
  const keys = (await transact("readonly", (store) => store.getAllKeys())) ?? [];
  const values = (await transact("readonly", (store) => store.getAll())) ?? [];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // a text that starts with the mark keeps it
  /** @type {Record<string, string>} */
  const texts = {};
  keys.forEach((key, place) => {
    if (String(key).startsWith("text ")) texts[String(key).slice(5)] = decoder.decode(values[place]);
  });
  return { project, texts };
}

/** @param {{job: string, project?: string}} order */
async function carryOut(order) {
  if (order.job === "restore") return { found: await restore() };
  if (order.job === "forget") await transact("readwrite", (store) => store.clear());
  else await transact("readwrite", (store) => store.put(order.project, "project"));
  return null;
}

/** @param {{data: any, setTriggerValue: (name: string, value: object) => void}} component */
export default function ({ data, setTriggerValue }) {
  const texts = data instanceof Uint8Array;
  const turn = texts ? `texts ${readHeader(data).header.turn}` : data.turn;
  if (done.has(turn)) return;
  done.add(turn);
  queue = queue
    .then(() => (texts ? keepTexts(data) : carryOut(data)))
    .then((answer) => {
      if (answer) setTriggerValue("answer", answer);
    })
    .catch((error) => setTriggerValue("answer", { failed: `${error?.name ?? "Error"}: ${error?.message ?? error}` }));
}

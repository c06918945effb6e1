// Hands the small, often changing half of a viewer's data to the viewer of the same slot (see payload.js).
export default function ({ data }) {
  const places = (globalThis[Symbol.for("ragchunk.viewer")] ??= new Map());
  if (!places.has(data.slot)) places.set(data.slot, {});
  const place = places.get(data.slot);
  place.view = data;
  place.draw?.();
  return () => {
    if (place.view === data) delete place.view;
  };
}

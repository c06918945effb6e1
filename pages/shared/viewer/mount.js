// How Streamlit and a viewer meet.

/**
 * @typedef {object} Component  what Streamlit gives
 * @property {Uint8Array} data  the content
 * @property {ShadowRoot} parentElement
 * @property {(name: string, value: object) => void} setTriggerValue
 */

/** The viewer of each mount. @type {WeakMap<Node, Viewer | Comparison>} */
const viewers = new WeakMap();

/**
 * Called with every new data, and when the theme changes.
 * @param {Component} component
 * @param {typeof Viewer | typeof Comparison} Kind
 * @returns {() => void} called once, when the viewer leaves the page
 */
function mount({ data, parentElement, setTriggerValue }, Kind) {
  const { slot, version } = readHeader(data);
  const viewer = viewers.get(parentElement) ?? new Kind(parentElement);
  viewers.set(parentElement, viewer);
  viewer.trigger = setTriggerValue;
  const place = meetingPlace(slot);
  const draw = () => {
    // The two mounts arrive one after the other: nothing changes until both are of one version.
    if (place.view?.version === version) viewer.show(data, place.view);
  };
  place.draw = draw;
  draw();
  return () => {
    if (place.draw === draw) delete place.draw;
    viewers.delete(parentElement);
    viewer.destroy(slot);
  };
}

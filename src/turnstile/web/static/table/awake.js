/** Keeps the screen on while a match is played in a tab that is shown. */

export class Awake {
  #lock = /** @type {any} */ (null);

  /** @param {boolean} isLive whether the player is in a match now */
  async keep(isLive) {
    if (!isLive || this.#lock || !("wakeLock" in navigator) || document.hidden) return;
    this.#lock = {};
    try {
      this.#lock = await navigator.wakeLock.request("screen");
      this.#lock.onrelease = () => (this.#lock = null);
    } catch {
      // not allowed: the screen goes dark as usual
    }
  }

  release() {
    void this.#lock?.release?.();
  }
}

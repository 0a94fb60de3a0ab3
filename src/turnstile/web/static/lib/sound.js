/** Short sounds by meaning, which the browser makes itself: no files. They are off until the player switches them on, and
 * a page that the player has not touched yet stays silent. */

import { isOn } from "./settings.js";

/** @typedef {"acted" | "turn" | "refused" | "won" | "lost" | "over"} Meaning */
/** @typedef {readonly [frequency: number, start: number, seconds: number]} Note in hertz and seconds */

const VOLUME = 0.12;
const NOTES = /** @type {{[meaning in Exclude<Meaning, "acted">]: readonly Note[]}} */ ({
  turn: [[659, 0, 0.16], [880, 0.11, 0.24]],
  refused: [[196, 0, 0.18]],
  won: [[523, 0, 0.2], [659, 0.12, 0.2], [784, 0.24, 0.45]],
  lost: [[392, 0, 0.25], [311, 0.18, 0.4]],
  over: [[523, 0, 0.2], [523, 0.16, 0.3]],
});
const CARD_SECONDS = 0.07;

/** @type {AudioContext | null} */
let audio = null;
let isTouched = false; // since the page was loaded: a browser may remember a gesture from before a reload
for (const gesture of ["pointerdown", "keydown"]) addEventListener(gesture, () => (isTouched = true), { capture: true, once: true });

/** @param {Meaning} meaning */
export function sound(meaning) {
  if (!isOn("sound") || !isTouched || !navigator.userActivation?.hasBeenActive || !("AudioContext" in globalThis)) return;
  audio ??= new AudioContext();
  void audio.resume();
  if (meaning === "acted") card(audio);
  else for (const note of NOTES[meaning]) ring(audio, note);
}

/** A card on felt: noise that fades at once.
 * @param {AudioContext} audio */
function card(audio) {
  const noise = audio.createBuffer(1, Math.ceil(audio.sampleRate * CARD_SECONDS), audio.sampleRate);
  const samples = noise.getChannelData(0);
  for (let index = 0; index < samples.length; index += 1) samples[index] = (Math.random() * 2 - 1) * (1 - index / samples.length) ** 3;
  const source = new AudioBufferSourceNode(audio, { buffer: noise });
  const felt = new BiquadFilterNode(audio, { type: "lowpass", frequency: 1800 });
  source.connect(felt).connect(new GainNode(audio, { gain: VOLUME * 2 })).connect(audio.destination);
  source.start();
}

/** A soft note.
 * @param {AudioContext} audio @param {Note} note */
function ring(audio, [frequency, start, seconds]) {
  const from = audio.currentTime + start;
  const tone = new OscillatorNode(audio, { type: "triangle", frequency });
  const loudness = new GainNode(audio, { gain: 0 });
  loudness.gain.setValueAtTime(0, from);
  loudness.gain.linearRampToValueAtTime(VOLUME, from + 0.015);
  loudness.gain.exponentialRampToValueAtTime(0.0001, from + seconds);
  tone.connect(loudness).connect(audio.destination);
  tone.start(from);
  tone.stop(from + seconds);
}

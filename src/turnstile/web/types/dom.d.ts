/** What an element contains: other nodes, text, numbers, lists of them; `null`, `undefined` and `false` are left out. */
export type Child = Node | string | number | null | undefined | false;
export type Children = Child | readonly Children[];

/** Attributes. `key`: the identity among siblings; `on...`: a handler; `vars`: custom properties of its style; `true` and `false`: with or without. */
export type Properties = { [name: string]: any };

export interface MakeElement {
  <Tag extends keyof HTMLElementTagNameMap>(tag: Tag, properties?: Properties | null, ...children: Children[]): HTMLElementTagNameMap[Tag];
  (tag: string, properties?: Properties | null, ...children: Children[]): HTMLElement;
}

// What handlers of events want to know: the value that was given, whether a box is ticked, the
// field itself. A form is never sent by the browser. Not here: what is done about it.

/**
 * `<input @input=${withValue((name) => ...)}>`, also a select.
 * @param {(value: string) => unknown} then
 */
export const withValue = (then) => withField(({ value }) => then(value));

/**
 * `<input type="checkbox" @change=${withChecked((isOn) => ...)}>`
 * @param {(isOn: boolean) => unknown} then
 */
export const withChecked = (then) => withField(({ checked }) => then(checked));

/**
 * The field itself, to look at more of it or to set it back.
 * @param {(field: HTMLInputElement) => unknown} then
 * @returns {(event: Event) => unknown}
 */
export const withField = (then) => (event) => then(/** @type {HTMLInputElement} */ (event.target));

/**
 * `<form @submit=${onSubmit(() => ...)}>`
 * @param {(form: HTMLFormElement) => unknown} then
 * @returns {(event: Event) => unknown}
 */
export const onSubmit = (then) => (event) => {
  event.preventDefault();
  return then(/** @type {HTMLFormElement} */ (event.target));
};

/** `<form @submit=${prevent}>`: the browser does nothing of its own. @param {Event} event */
export const prevent = (event) => event.preventDefault();

// Wrappers for event handlers that pass on the value, the checked state, the field or the form.

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
 * `<input @change=${withField((field) => ...)}>`
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

/** `<form @submit=${prevent}>` suppresses the browser's own action. @param {Event} event */
export const prevent = (event) => event.preventDefault();

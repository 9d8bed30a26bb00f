/** Files that the page gives: a text or a picture, under a name. */

/** @param {string} name @param {Blob} blob */
export function download(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** A PNG of an SVG. @param {string} svg @param {number} scale @returns {Promise<Blob>} */
export async function png(svg, scale) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = reject;
      image.src = address;
    });
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(image.width * scale);
    canvas.height = Math.ceil(image.height * scale);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** A sheet as shell commands: names in a file, one command a line that has an expression. @param {import("../protocol.js").Line[]} lines */
export function commands(lines) {
  const quote = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
  const bound = lines.filter((line) => line.name);
  const alone = lines.filter((line) => !line.name);
  const names = bound.map((line) => `${line.name} = ${line.expression.replaceAll("\n", " ")}`);
  const asked = [...bound.map((line) => /** @type {string} */ (line.name)).filter((name) => !name.startsWith("#")), ...alone.map((line) => line.expression)];
  return [
    `cat > sheet.names <<'END'`,
    ...names,
    "END",
    `bitstride -f sheet.names -- ${asked.map(quote).join(" ")}`,
    "",
  ].join("\n");
}

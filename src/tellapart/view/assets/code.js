// The parts of code and JSON that are coloured: strings, numbers, comments and the words of the commonest languages.

const WORDS = "abstract|and|as|assert|async|await|bool|break|case|catch|char|class|const|continue|def|del|delete|do|double|elif|else|enum|except|export|extends|extern|false|False|final|finally|float|fn|for|from|func|function|global|go|goto|if|impl|implements|import|in|int|interface|is|lambda|let|long|match|module|mut|namespace|new|nil|None|not|null|or|package|pass|private|protected|pub|public|raise|return|self|short|static|string|struct|super|switch|this|throw|throws|trait|true|True|try|type|typedef|undefined|unsigned|use|using|var|void|while|with|yield";
// "a // b" divides in Python: what follows "//" is a comment only where a statement has ended.
const PARTS = new RegExp(String.raw`(?<comment>(?<=^|[;{})])[ \t]*\/\/[^\n]*|(?<![\w&])#[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?<number>\b\d[\w.]*)|\b(?<word>${WORDS})\b`, "gm");
const FENCE = /^```[^\n]*\n([\s\S]*?)^```/gm;

function isJson(text) {
  if (!/^\s*[[{]/.test(text)) return false;
  try { JSON.parse(text); return true; } catch { return false; }
}

// Where text is code: all of it if that is known, or if it is JSON; else what stands between fences.
function codeIn(text, isCode) {
  if (isCode || isJson(text)) return [[0, text]];
  return [...text.matchAll(FENCE)].map((match) => [match.index + match[0].indexOf("\n") + 1, match[1]]);
}

// The coloured parts of a text, in order: where each begins and ends, and its kind.
export function coloured(text, isCode) {
  if (text.length > 100_000) return [];
  return codeIn(text, isCode).flatMap(([start, code]) => [...code.matchAll(PARTS)].map((match) => {
    const [kind] = Object.entries(match.groups).find(([, part]) => part !== undefined);
    return [start + match.index, start + match.index + match[0].length, kind];
  }));
}

import { StreamLanguage } from '@codemirror/language'

const KEYWORDS = /^(?:service|match|allow|if|function|return|let|in|is|rules_version|import|as)\b/
const METHODS = /^(?:read|write|get|list|create|update|delete)\b/
const CONSTANTS = /^(?:true|false|null)\b/

/** The syntax highlighting of security rules. */
export const rulesLanguage = StreamLanguage.define<{ comment: boolean }>({
  name: 'rules',
  startState: () => ({ comment: false }),
  token(stream, state) {
    if (state.comment || stream.match('/*')) {
      state.comment = !stream.match(/^.*?\*\//)
      if (state.comment) stream.skipToEnd()
      return 'comment'
    }
    if (stream.eatSpace()) return null
    if (stream.match('//')) {
      stream.skipToEnd()
      return 'comment'
    }
    if (stream.match(/^(?:'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?)/)) return 'string'
    if (stream.match(/^\d+(?:\.\d+)?/)) return 'number'
    if (stream.match(KEYWORDS) || stream.match(METHODS)) return 'keyword'
    if (stream.match(CONSTANTS)) return 'bool'
    if (stream.match(/^[A-Za-z_]\w*(?=\()/)) return 'typeName'
    if (stream.match(/^[A-Za-z_]\w*/)) return 'variableName'
    stream.next()
    return null
  },
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } },
})

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'

/** An e-mail that the mail server under test accepted. */
export type Mail = { to: string; subject: string; text: string; headers: Record<string, string> }

/** Recipients with this prefix are rejected. */
export const REJECTED = 'rechazada'

/** E-mails whose subject has this prefix are refused after their text, as by a server whose daily quota is exhausted. */
export const OVER_QUOTA = 'Sin cupo'

/** Starts an SMTP server that stores each e-mail as a file in a folder, for tests in other processes. */
export async function startMailServer(folder: string, port: number): Promise<Server> {
  await mkdir(folder, { recursive: true })
  const server = createServer((socket) => converse(socket, folder))
  await new Promise<void>((ready, failure) => server.once('error', failure).listen(port, '127.0.0.1', ready))
  return server
}

/** Answers the commands of a connection. */
function converse(socket: Socket, folder: string): void {
  let pending = ''
  let content: string[] | undefined
  const take = async (line: string): Promise<string> => {
    if (content && line === '.') {
      const whole = content
      content = undefined
      if (whole.some((text) => text.startsWith(`Subject: ${OVER_QUOTA}`))) return '452 4.5.3 daily quota exceeded'
      await store(folder, whole)
      return '250 accepted'
    }
    if (content) {
      content.push(line.replace(/^\.\./, '.'))
      return ''
    }
    const command = line.slice(0, 4).toUpperCase()
    if (command === 'DATA') {
      content = []
      return '354 go on'
    }
    if (command === 'RCPT' && line.includes(`<${REJECTED}`)) return '550 no such user'
    return command === 'QUIT' ? '221 bye' : '250 ok'
  }
  // Sequentially: the answer to a message waits for its file.
  let turn = Promise.resolve()
  socket.on('data', (bytes) => {
    const lines = (pending + bytes.toString('latin1')).split('\r\n')
    pending = lines.pop() ?? ''
    for (const line of lines) {
      turn = turn.then(async () => {
        const answer = await take(line)
        if (answer) socket.write(`${answer}\r\n`)
        if (answer.startsWith('221')) socket.end()
      })
    }
  })
  socket.on('error', () => undefined)
  socket.write('220 ready\r\n')
}

/** Stores the lines of a message. Its file appears atomically. */
async function store(folder: string, lines: readonly string[]): Promise<void> {
  const name = join(folder, `${Date.now()}-${randomUUID()}`)
  await writeFile(`${name}.part`, lines.join('\n'), 'latin1')
  await rename(`${name}.part`, `${name}.eml`)
}

/** The folder of this worker's server. */
const mine = () => process.env['E2E_MAILS'] ?? ''

/** Deletes the e-mails received so far. */
export async function clearMails(): Promise<void> {
  for (const name of await readdir(mine())) await rm(join(mine(), name), { force: true })
}

/** The e-mails received so far, the earliest first. */
export async function mails(): Promise<Mail[]> {
  const names = (await readdir(mine())).filter((name) => name.endsWith('.eml')).toSorted()
  return Promise.all(names.map(async (name) => parse(await readFile(join(mine(), name), 'latin1'))))
}

/** Parses a message: its header fields and its first part, the plain text. */
function parse(raw: string): Mail {
  const [head = '', ...rest] = raw.split('\n\n')
  const unfolded = head.replaceAll(/\n[ \t]+/g, ' ')
  const headers = Object.fromEntries(
    [...unfolded.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
  )
  const boundary = /boundary="?([^";\s]+)/.exec(headers['content-type'] ?? '')?.[1] ?? ''
  const [, part = ''] = rest.join('\n\n').split(`--${boundary}`)
  const text = quoted(part.slice(part.indexOf('\n\n') + 2).replaceAll('=\n', ''))
  return { to: headers['to']?.replace(/^<|>$/g, '') ?? '', subject: words(headers['subject'] ?? ''), text, headers }
}

/** Decodes quoted-printable UTF-8. */
function quoted(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** Decodes the encoded words of a header field (RFC 2047). */
function words(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([qb])\?(.*?)\?=/gi, (_, kind: string, coded: string) =>
      kind.toLowerCase() === 'q' ? quoted(coded.replaceAll('_', ' ')) : Buffer.from(coded, 'base64').toString('utf8'),
    )
}

import * as v from 'valibot'
import { asMe } from './back-office-admin'

const status = v.object({ delivery: v.picklist(['none', 'terminal', 'server']), confirmed: v.number() })
const preview = v.object({ text: v.string() })
const test = v.object({ email: v.string() })
const started = v.object({ id: v.string(), total: v.number() })

/** An issue of the newsletter as an administrator composes it. */
export type Issue = { subject: string; text: string }

/** How e-mails are delivered, and the number of confirmed addresses. */
export type NewsletterStatus = v.InferOutput<typeof status>

/** The status of the newsletter. */
export async function newsletterStatus(): Promise<NewsletterStatus> {
  return v.parse(status, await asMe('/api/admin/boletin/estado', {}))
}

/** The text as subscribers receive it. */
export async function previewIssue(issue: Issue): Promise<string> {
  return v.parse(preview, await asMe('/api/admin/boletin/vista', issue)).text
}

/** Sends an issue to the signed-in administrator and returns the address. */
export async function testIssue(issue: Issue): Promise<string> {
  return v.parse(test, await asMe('/api/admin/boletin/prueba', issue)).email
}

/** Starts sending an issue to all confirmed addresses and returns their number. */
export async function startIssue(issue: Issue): Promise<number> {
  return v.parse(started, await asMe('/api/admin/boletin/enviar', issue)).total
}

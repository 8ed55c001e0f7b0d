package backoffice

import (
	"errors"
	"time"

	"cloud.google.com/go/firestore"

	"clave/server/backoffice/email"
)

// A mail server may refuse all e-mails for a reason that concerns no recipient, such as a daily quota. Such a run of
// refusals pauses the issue, so that it does not fail the addresses that remain. A paused issue is resumed every
// pauseTime with one e-mail, and continues when that is accepted.
const (
	// maxRefusals is the number of successive refusals that pauses an issue. It is at least maxSendTries, so that the last
	// remaining address does not fail before the issue pauses.
	maxRefusals = 5
	pauseTime   = time.Hour
	// maxPausedTries is the number of tries after which a delivery fails although the issue is paused: an issue must end.
	maxPausedTries = 48
)

// isFinal reports whether a refusal because of the sender makes a delivery fail. refusals is the number of successive
// refusals with this one.
func isFinal(refusals, tries int) bool {
	return tries >= maxPausedTries || tries >= maxSendTries && refusals < maxRefusals
}

// waits reports whether the issue is paused and not due yet.
func (r *round) waits() bool {
	until, _ := r.issue.Data()["pausedUntil"].(time.Time)
	return r.issue.Data()["state"] == statePaused && r.s.options.Clock.Now().Before(until)
}

// changes returns what an outcome changes in the issue beside the count of outcomes: a refusal because of the sender
// may pause it, and an e-mail that was sent resumes it.
func (r *round) changes(outcome string, cause error) []firestore.Update {
	switch {
	case errors.Is(cause, email.ErrSender):
		changes := []firestore.Update{{Path: "refusals", Value: r.refusals}}
		if r.refusals < maxRefusals {
			return changes
		}
		r.paused = true
		return append(changes, firestore.Update{Path: "state", Value: statePaused}, firestore.Update{Path: "problem", Value: string(MailRefused)},
			firestore.Update{Path: "pausedUntil", Value: r.s.options.Clock.Now().Add(pauseTime)})
	case outcome == stateSent && r.refusals > 0:
		r.refusals = 0
		return []firestore.Update{{Path: "refusals", Value: 0}, {Path: "state", Value: stateSending}, {Path: "problem", Value: ""}}
	}
	return nil
}

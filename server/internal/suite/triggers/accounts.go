package triggers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"clave/server/internal/auth/service"
	"clave/server/internal/auth/service/userinfo"
	"clave/server/internal/base/randid"
)

// Triggers of accounts are not registered here. Each event is sent to the functions emulator once in the form of each
// generation, and the emulator calls the functions for it.

// Account delivers the event of an account that was created or deleted. It does not block. Events of an account are
// delivered in order.
func (d *Dispatcher) Account(m service.LifecycleEvent) {
	if d.o.Functions == "" {
		return
	}
	select {
	case d.waiting <- struct{}{}:
	default:
		d.o.Log.Warn("an account event is not delivered, because too many are pending", "uid", m.User.LocalID)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mu.disabled {
		<-d.waiting
		return
	}
	d.mu.enqueued++
	d.mu.unfinished++
	d.mu.made = append(d.mu.made, event{account: &m, made: d.o.Clock.Now()})
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// deliverAccounts starts the delivery of events of accounts, which were counted already.
func (d *Dispatcher) deliverAccounts(ctx context.Context, deliveries *sync.WaitGroup, all []event) {
	for _, e := range all {
		key := queueKey{identityKey{project: e.account.Project}, "users/" + e.account.User.TenantID + "/" + e.account.User.LocalID}
		d.mu.Lock()
		l := d.mu.queues[key]
		begin := l == nil
		if begin {
			l = &eventQueue{}
			d.mu.queues[key] = l
		}
		l.queue = append(l.queue, e)
		d.mu.Unlock()
		if begin {
			deliveries.Go(func() { d.deliverQueue(ctx, key, l) })
		}
	}
}

// deliverAccount posts an event of an account in the form of each generation.
func (d *Dispatcher) deliverAccount(ctx context.Context, e event) error {
	to := url.URL{Scheme: "http", Host: d.o.Functions}
	to = *to.JoinPath("functions", "projects", e.account.Project, "trigger_multicast")
	var failed error
	for _, form := range []struct {
		content string
		body    any
	}{
		{"application/json", firstAccountEvent(e.account, e.made)},
		{"application/cloudevents+json; charset=UTF-8", secondAccountEvent(e.account, e.made)},
	} {
		body, err := json.Marshal(form.body)
		if err != nil {
			return fmt.Errorf("event of account %s: %w", e.account.User.LocalID, err)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", form.content)
		failed = errors.Join(failed, d.post(request))
	}
	return failed
}

// accountBase is the common part of both forms of an account.
type accountBase struct {
	UID           string          `json:"uid"`
	Email         string          `json:"email,omitempty"`
	EmailVerified *bool           `json:"emailVerified,omitempty"`
	DisplayName   *string         `json:"displayName,omitempty"`
	PhotoURL      *string         `json:"photoURL,omitempty"`
	PhoneNumber   string          `json:"phoneNumber,omitempty"`
	Disabled      *bool           `json:"disabled,omitempty"`
	CustomClaims  json.RawMessage `json:"customClaims"`
}

// baseOf returns the common part of both forms of an account.
func baseOf(u *userinfo.Info) accountBase {
	b := accountBase{u.LocalID, u.Email, u.EmailVerified, u.DisplayName, u.PhotoURL, u.PhoneNumber, nil, json.RawMessage("{}")}
	if u.Disabled != nil && *u.Disabled {
		b.Disabled = u.Disabled
	}
	if u.CustomAttributes != nil && json.Valid([]byte(*u.CustomAttributes)) {
		b.CustomClaims = json.RawMessage(*u.CustomAttributes)
	}
	return b
}

// isoTime returns a time as JavaScript prints it.
func isoTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// isoMillis returns a time in milliseconds in the form in which JavaScript prints it; empty for zero.
func isoMillis(text string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n == 0 {
		return ""
	}
	return isoTime(time.UnixMilli(n))
}

// firstAccount is an account in events of the 1st generation.
type firstAccount struct {
	accountBase
	Metadata struct {
		CreationTime   string `json:"creationTime,omitempty"`
		LastSignInTime string `json:"lastSignInTime,omitempty"`
	} `json:"metadata"`
	ProviderData []firstProvider   `json:"providerData,omitzero"`
	TenantID     string            `json:"tenantId,omitempty"`
	MFAInfo      []userinfo.Factor `json:"mfaInfo,omitempty"`
}

// firstProvider is a way to sign in, in events of the 1st generation.
type firstProvider struct {
	RawID       string  `json:"rawId,omitempty"`
	ProviderID  string  `json:"providerId"`
	DisplayName *string `json:"displayName,omitempty"`
	Email       string  `json:"email,omitempty"`
	FederatedID string  `json:"federatedId,omitempty"`
	PhoneNumber string  `json:"phoneNumber,omitempty"`
	PhotoURL    *string `json:"photoURL,omitempty"`
	ScreenName  string  `json:"screenName,omitempty"`
}

// firstAccountEvent returns the body of an event of the 1st generation.
func firstAccountEvent(m *service.LifecycleEvent, at time.Time) any {
	u := &m.User
	data := firstAccount{accountBase: baseOf(u), TenantID: u.TenantID, MFAInfo: u.MFAInfo}
	data.Metadata.CreationTime, data.Metadata.LastSignInTime = isoMillis(u.CreatedAt), isoMillis(u.LastLoginAt)
	for _, p := range u.ProviderUserInfo {
		data.ProviderData = append(data.ProviderData, firstProvider{p.RawID, p.ProviderID, p.DisplayName, p.Email, p.FederatedID, p.PhoneNumber, p.PhotoURL, p.ScreenName})
	}
	action := "create"
	if m.Deleted {
		action = "delete"
	}
	return struct {
		EventID   string `json:"eventId"`
		EventType string `json:"eventType"`
		Resource  struct {
			Name    string `json:"name"`
			Service string `json:"service"`
		} `json:"resource"`
		Params    struct{}     `json:"params"`
		Timestamp string       `json:"timestamp"`
		Data      firstAccount `json:"data"`
	}{
		EventID: randid.UUID(), EventType: "providers/firebase.auth/eventTypes/user." + action, Timestamp: isoTime(at), Data: data,
		Resource: struct {
			Name    string `json:"name"`
			Service string `json:"service"`
		}{"projects/" + m.Project, "firebaseauth.googleapis.com"},
	}
}

// secondAccount is an account in events of the 2nd generation.
type secondAccount struct {
	accountBase
	Metadata struct {
		CreateTime     string `json:"createTime,omitempty"`
		LastSignInTime string `json:"lastSignInTime,omitempty"`
	} `json:"metadata"`
	ProviderData []secondProvider `json:"providerData,omitzero"`
}

// secondProvider is a way to sign in, in events of the 2nd generation.
type secondProvider struct {
	UID         string  `json:"uid,omitempty"`
	ProviderID  string  `json:"providerId"`
	DisplayName *string `json:"displayName,omitempty"`
	Email       string  `json:"email,omitempty"`
	PhotoURL    *string `json:"photoURL,omitempty"`
}

// secondAccountEvent returns the body of an event of the 2nd generation.
func secondAccountEvent(m *service.LifecycleEvent, at time.Time) any {
	u := &m.User
	user := &secondAccount{accountBase: baseOf(u)}
	user.Metadata.CreateTime, user.Metadata.LastSignInTime = isoMillis(u.CreatedAt), isoMillis(u.LastLoginAt)
	for _, p := range u.ProviderUserInfo {
		user.ProviderData = append(user.ProviderData, secondProvider{p.RawID, p.ProviderID, p.DisplayName, p.Email, p.PhotoURL})
	}
	var data struct {
		Value    *secondAccount `json:"value,omitempty"`
		OldValue *secondAccount `json:"oldValue,omitempty"`
	}
	action := "created"
	if data.Value = user; m.Deleted {
		action, data.Value, data.OldValue = "deleted", nil, user
	}
	return struct {
		SpecVersion string `json:"specversion"`
		ID          string `json:"id"`
		Time        string `json:"time"`
		Type        string `json:"type"`
		Source      string `json:"source"`
		Subject     string `json:"subject"`
		Data        any    `json:"data"`
		Tenant      string `json:"tenantid,omitempty"`
	}{
		"1.0", randid.UUID(), isoTime(at), "google.firebase.auth.user.v2." + action, "//identitytoolkit.googleapis.com/projects/" + m.Project,
		"users/" + u.LocalID, data, u.TenantID,
	}
}

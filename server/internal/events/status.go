package events

import (
	"context"
	"slices"
	"strings"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/httpx/controlsocket"
	"clave/server/internal/store"
)

// Status is the state of a trigger.
type Status struct {
	Name     string `json:"name"`
	Database string `json:"database"`
	// Target is the address to which events are sent; empty while no server delivers them.
	Target string `json:"target,omitempty"`
	// Version is the version up to which no event is missing, except for waiting events and dead letters.
	Version   clock.Version `json:"version"`
	Delivered uint64        `json:"delivered"`
	// Pending counts the events in memory, Waiting those that wait for a retry, and Dead the dead letters.
	Pending int `json:"pending"`
	Waiting int `json:"waiting"`
	Dead    int `json:"dead"`
	// Letters are the first dead letters.
	Letters []Letter `json:"letters,omitempty"`
	// Lost counts dropped dead letters; commits between LostFrom and LostTo were dropped from the log before they were
	// events.
	Lost     uint64        `json:"lost,omitempty"`
	LostFrom clock.Version `json:"lostFrom,omitempty"`
	LostTo   clock.Version `json:"lostTo,omitempty"`
	// Error is the last error.
	Error   string    `json:"error,omitempty"`
	ErrorAt time.Time `json:"errorAt,omitzero"`
}

// Letter is a dead letter.
type Letter struct {
	ID       string    `json:"id"`
	Document string    `json:"document"`
	Type     string    `json:"type"`
	Time     string    `json:"time"`
	Attempts int       `json:"attempts"`
	Since    time.Time `json:"since"`
	Error    string    `json:"error"`
}

// maxLetters is the maximum number of dead letters of a trigger in a status.
const maxLetters = 20

// Stored returns the state of all triggers with records in a store.
func Stored(ctx context.Context, store store.Reader) ([]Status, error) {
	known, err := cursors(ctx, store)
	if err != nil {
		return nil, err
	}
	var all []Status
	for name, c := range known {
		s := Status{
			Name: name, Database: c.Database, Version: c.Version, Delivered: c.Delivered, Lost: c.Lost, LostFrom: c.LostFrom, LostTo: c.LostTo,
		}
		err := each(ctx, store, name, func(p place, m *meta) error {
			if !m.Dead {
				s.Waiting++
				return nil
			}
			if s.Dead++; s.Dead <= maxLetters {
				s.Letters = append(s.Letters, Letter{
					ID: m.Header.Get("Ce-Id"), Document: p.path, Type: m.Header.Get("Ce-Type"), Time: m.Header.Get("Ce-Time"),
					Attempts: m.Attempts, Since: m.Due, Error: m.Error,
				})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// RetryStored makes the dead letters of a trigger due again, in a store that no server uses; an empty name means all
// triggers. It returns their number.
func RetryStored(ctx context.Context, st store.Store, name string) (int, error) {
	known, err := cursors(ctx, st)
	if err != nil {
		return 0, err
	}
	if name != "" && known[name] == nil {
		return 0, noTrigger(name)
	}
	var b store.Batch
	n := 0
	for each := range known {
		if name != "" && name != each {
			continue
		}
		places, _, err := retryStored(ctx, st, &b, each)
		if err != nil {
			return 0, err
		}
		n += len(places)
	}
	if n == 0 {
		return 0, nil
	}
	return n, st.Apply(ctx, &b)
}

// socketName is the socket in the data folder of a server that delivers events.
const socketName = "events.sock"

// command is a request at the socket.
type command struct {
	// Retry makes dead letters due again, those of Trigger or of all; otherwise the request is for the state.
	Retry   bool   `json:"retry,omitempty"`
	Trigger string `json:"trigger,omitempty"`
}

// Answer is the response to a command at the socket.
type Answer struct {
	Triggers []Status `json:"triggers,omitempty"`
	// Retried counts events that are due again.
	Retried int `json:"retried"`
}

// Listen opens a socket in a data folder, at which commands reach the service.
func (s *Service) Listen(data string) (*controlsocket.Listener, error) {
	return controlsocket.Listen(data, socketName, func(ctx context.Context, c command) (a Answer, err error) {
		if c.Retry {
			a.Retried, err = s.Retry(ctx, c.Trigger)
		} else {
			a.Triggers, err = s.Status(ctx)
		}
		return a, err
	})
}

// RequestStatus returns the state of the triggers from the server that runs on a data folder; it returns
// controlsocket.ErrNoServer if no server runs.
func RequestStatus(ctx context.Context, data string) ([]Status, error) {
	var a Answer
	err := controlsocket.Request(ctx, data, socketName, command{}, &a)
	return a.Triggers, err
}

// RequestRetry makes the server that runs on a data folder retry dead letters, as Service.Retry does.
func RequestRetry(ctx context.Context, data, trigger string) (int, error) {
	var a Answer
	err := controlsocket.Request(ctx, data, socketName, command{Retry: true, Trigger: trigger}, &a)
	return a.Retried, err
}

package appcheck

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"clave/server/internal/auth/account"
	"clave/server/internal/base/clock"
	"clave/server/internal/base/fault"
)

// ServiceItem is the kind of item of an account.Store that stores the mode of a service, by the service's name.
const ServiceItem = "appcheckservice"

// settingsAge is the time for which read modes are used. A change has an effect at all nodes after it.
const settingsAge = time.Second

// stages are the names of the modes in the API.
var stages = [...]string{Off: "OFF", Count: "UNENFORCED", Enforce: "ENFORCED"}

// SettingsOptions configure Settings.
type SettingsOptions struct {
	// Accounts stores the modes.
	Accounts *account.Store
	// Project is the project whose modes can be stored. Other projects have those of the flags.
	Project string
	// Flags are the modes of products whose mode is not stored.
	Flags Modes
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Log logs failures; nil logs nothing.
	Log *slog.Logger
}

// Settings are the modes of the products: those that an administrator has stored, and for other products those of the
// flags. They are safe for concurrent use.
type Settings struct {
	o    SettingsOptions
	last atomic.Pointer[reading]
}

// reading are modes as they were stored at a time. err is set if they could not be read and none were known before.
type reading struct {
	modes Modes
	err   error
	at    time.Time
}

// NewSettings returns Settings.
func NewSettings(o SettingsOptions) *Settings {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Settings{o: o}
}

// ServiceMode is the mode of a service, by its names in the API.
type ServiceMode struct {
	// Service is the API's name, such as firestore.googleapis.com, and Mode one of OFF, UNENFORCED and ENFORCED.
	Service, Mode string
	// Updated is the time of the last change; zero for a mode of the flags.
	Updated time.Time
}

// storedMode is the mode of a service as it is stored.
type storedMode struct {
	Mode    string    `json:"mode"`
	Updated time.Time `json:"updated"`
}

// Modes returns the modes of a project. If they cannot be read, those that were read last count. Without such ones it
// returns an error: the modes of the flags may allow what an administrator has forbidden. A failed read is repeated
// when modes would be read again.
func (s *Settings) Modes(project string) (Modes, error) {
	if project != s.o.Project {
		return s.o.Flags, nil
	}
	now, last := s.o.Clock.Now(), s.last.Load()
	if last != nil && now.Sub(last.at) < settingsAge && !now.Before(last.at) {
		return last.modes, last.err
	}
	next := &reading{at: now}
	all, err := s.List()
	switch {
	case err == nil:
		for p := range all {
			next.modes[p] = Mode(slices.Index(stages[:], all[p].Mode))
		}
	case last != nil && last.err == nil:
		next.modes = last.modes
	default:
		next.err = fault.Wrap(err, fault.Unavailable, "The modes of App Check cannot be read.")
	}
	if err != nil {
		s.o.Log.Error("cannot read the modes of App Check", "error", err)
	}
	s.last.Store(next)
	return next.modes, next.err
}

// Of returns the settings of a project, or an error if its modes cannot be stored.
func (s *Settings) Of(project string) (*Settings, error) {
	if project != s.o.Project {
		return nil, fault.E(fault.FailedPrecondition, "The project of this server is %s: others have the modes of --app-check.", s.o.Project)
	}
	return s, nil
}

// List returns the modes of all services.
func (s *Settings) List() ([]ServiceMode, error) {
	all := make([]ServiceMode, 0, products)
	for p, name := range services {
		var stored storedMode
		if _, err := s.o.Accounts.Load(account.Scope{Project: s.o.Project}, ServiceItem, name, &stored); err != nil {
			return nil, err
		}
		if !slices.Contains(stages[:], stored.Mode) {
			stored = storedMode{Mode: stages[s.o.Flags[p]]}
		}
		all = append(all, ServiceMode{name, stored.Mode, stored.Updated})
	}
	return all, nil
}

// Get returns the mode of a service.
func (s *Settings) Get(service string) (ServiceMode, error) {
	all, err := s.List()
	if err != nil {
		return ServiceMode{}, err
	}
	i := slices.Index(services[:], service)
	if i < 0 {
		return ServiceMode{}, fault.E(fault.NotFound, "App Check does not protect %.128q on this server.", service)
	}
	return all[i], nil
}

// Set stores the modes of services, all or none. It returns Unimplemented for a service that App Check does not protect
// here: whoever enforces it must not believe that it is.
func (s *Settings) Set(ctx context.Context, wanted []ServiceMode) error {
	names := make([]string, len(wanted))
	for i, w := range wanted {
		if !slices.Contains(services[:], w.Service) {
			return fault.E(fault.Unimplemented, "App Check does not protect %.128q on this server, only %s and %s.", w.Service, services[Firestore], services[Auth])
		}
		if !slices.Contains(stages[:], w.Mode) {
			return fault.E(fault.InvalidArgument, "Invalid value at 'service.enforcement_mode', %.64q", w.Mode)
		}
		names[i] = ServiceItem + w.Service
	}
	slices.Sort(names)
	now := s.o.Clock.Now().UTC().Truncate(time.Microsecond)
	defer s.last.Store(nil)
	return s.o.Accounts.Change(ctx, account.Scope{Project: s.o.Project}, slices.Compact(names), func(ch *account.Change) error {
		for _, w := range wanted {
			if err := ch.Save(ServiceItem, w.Service, storedMode{w.Mode, now}); err != nil {
				return err
			}
		}
		return nil
	})
}

package versions

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"clave/server/internal/base/clock"
	"clave/server/internal/transport/hosting"
)

// Options configure a Site.
type Options struct {
	// Folder is the folder of the versions, which is created if it is missing. Shared is the store of nodes, in which the
	// versions are then in place of the folder; nil without nodes.
	Folder string
	Shared *Shared
	// ID is the id of the site.
	ID string
	// Hosting are the options of the sites of versions, which share a cache.
	Hosting hosting.Options
	// MaxContent and MaxStored are the maximum numbers of bytes of one unpacked content and of all; zero means 256 MiB and
	// 8 GiB, or 1 GiB in a store that nodes share.
	MaxContent, MaxStored int64
	// Clock is the source of time; nil means the machine's clock.
	Clock clock.Clock
	// Log receives failures; nil logs nothing.
	Log *slog.Logger
}

// maxCached is the number of bytes of files that are kept in memory, of all versions that are served.
const maxCached = 128 << 20

// EnsureDefaults sets the defaults of zero fields.
func (o *Options) EnsureDefaults() {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MaxContent == 0 {
		o.MaxContent = maxContent
	}
	switch {
	case o.MaxStored != 0:
	case o.Shared != nil:
		o.MaxStored = maxShared
	default:
		o.MaxStored = maxStored
	}
	if o.Hosting.Cache == nil {
		o.Hosting.Cache = hosting.NewCache(maxCached)
	}
}

// Site is a site with its versions and channels. It is safe for concurrent use.
type Site struct {
	o     Options
	place place
	// stored is the number of bytes of the contents, those being uploaded included.
	stored atomic.Int64
	// uploads has an element for each content that is being received. It is never closed.
	uploads chan struct{}
	// served are the versions that requests get.
	served atomic.Pointer[served]
	mu     struct {
		sync.Mutex
		versions map[string]*Version
		state    *state
		// wanted are the hashes of the files of the versions that are not finalized, as far as they were needed.
		wanted map[string]map[string]bool
	}
}

// Exists reports whether a folder has the channels of a site.
func Exists(folder string) bool {
	_, err := os.Stat(inFolder{folder}.stateFile())
	return err == nil
}

// Open opens the site of a folder, or of the store of nodes, and removes what a killed process was receiving.
func Open(o Options) (*Site, error) {
	o.EnsureDefaults()
	s := &Site{o: o, uploads: make(chan struct{}, maxUploads)}
	s.mu.versions, s.mu.wanted = make(map[string]*Version), make(map[string]map[string]bool)
	s.mu.state = &state{}
	s.place = inFolder{o.Folder}
	if o.Shared != nil {
		s.place = &inStore{Shared: *o.Shared, folder: o.Folder}
	}
	stored, err := s.place.open()
	if err != nil {
		return nil, err
	}
	s.stored.Store(stored)
	text, err := s.place.state()
	if err == nil && text != nil {
		if err = json.Unmarshal(text, s.mu.state); err != nil {
			err = fmt.Errorf("read the channels of the site: %w", err)
		}
	}
	if err == nil {
		err = s.readVersions()
	}
	if err != nil {
		return nil, err
	}
	if s.mu.state.Channels == nil {
		s.mu.state.Channels = make(map[string]*Channel)
	}
	if s.mu.state.Channels[Live] == nil {
		s.mu.state.Channels[Live] = &Channel{ID: Live, Created: s.now(), Updated: s.now()}
	}
	open, err := s.prepareLocked(s.mu.state)
	if err != nil {
		return nil, err
	}
	s.serve(open)
	return s, nil
}

// now returns the time.
func (s *Site) now() time.Time { return s.o.Clock.Now().UTC() }

// tidyInterval is the time between two searches for channels that have ended and for versions that are not needed, and
// abandoned the time after which a version that is not released is removed.
const (
	tidyInterval = 10 * time.Minute
	abandoned    = 12 * time.Hour
)

// Run removes channels that have ended, and what no version needs any more, until ctx is done.
func (s *Site) Run(ctx context.Context) error {
	for {
		s.tidy()
		if clock.Sleep(ctx, s.o.Clock, tidyInterval) != nil {
			return nil
		}
	}
}

// tidy removes channels that have ended, and what no version needs any more.
func (s *Site) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ended []string
	for id, c := range s.mu.state.Channels {
		if c.ended(s.now()) {
			ended = append(ended, id)
		}
	}
	err := s.tidyLocked()
	if len(ended) > 0 {
		err = s.changeLocked(func(st *state) error {
			for _, id := range ended {
				delete(st.Channels, id)
			}
			return nil
		})
	}
	if err == nil {
		err = s.collectLocked() // what a process that was killed after a change has left
	}
	if err != nil {
		s.o.Log.Warn("old versions of the site could not be removed; it is tried again", "error", err)
	}
}

// Close ends the sites of the versions.
func (s *Site) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serve(&served{})
	return nil
}

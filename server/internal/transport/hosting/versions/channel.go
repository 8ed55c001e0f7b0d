package versions

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/base/pattern"
	"clave/server/internal/base/randid"
)

// Live is the id of the channel that is the site.
const Live = "live"

// The limits of channels: their number, the releases of each that are kept with their versions, the time after which a
// preview ends, and the length of a release's message.
const (
	maxChannels = 30
	Kept        = 10
	maxLife     = 30 * 24 * time.Hour
	maxMessage  = 512
)

// Channel is a place in which versions are released.
type Channel struct {
	ID string `json:"id"`
	// Label is the first label of the host under which a preview is served; empty for the channel live.
	Label  string            `json:"label,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	// Expires is when the channel ends, and Life the time after the latest change after which it does; zero for never.
	Expires time.Time     `json:"expires,omitzero"`
	Life    time.Duration `json:"life,omitempty"`
	Created time.Time     `json:"created"`
	Updated time.Time     `json:"updated"`
	// Releases are the latest releases, the newest first. The newest one is served.
	Releases []Release `json:"releases,omitempty"`
}

// The types of releases.
const (
	Deploy   = "DEPLOY"
	Rollback = "ROLLBACK"
	Disable  = "SITE_DISABLE"
)

// Release is a release of a version in a channel.
type Release struct {
	ID      string    `json:"id"`
	Type    string    `json:"type"`
	Version string    `json:"version,omitempty"` // empty if the site was disabled
	Message string    `json:"message,omitempty"`
	Time    time.Time `json:"time"`
	By      string    `json:"by,omitempty"`
}

// state is the record of the channels. LastRelease is the number of the latest release.
type state struct {
	Channels    map[string]*Channel `json:"channels"`
	LastRelease int64               `json:"lastRelease"`
}

// clone returns a copy whose channels can be changed.
func (st *state) clone() *state {
	out := &state{Channels: make(map[string]*Channel, len(st.Channels)), LastRelease: st.LastRelease}
	for id, c := range st.Channels {
		own := *c
		own.Releases = slices.Clone(c.Releases)
		out.Channels[id] = &own
	}
	return out
}

// change applies a change to a copy of the state. What f returns an error for changes nothing. Once the new state is on
// disk, requests are served by it.
func (s *Site) change(f func(*state) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changeLocked(f)
}

// changeLocked is change; mu is held.
func (s *Site) changeLocked(f func(*state) error) error {
	next := s.mu.state.clone()
	if err := f(next); err != nil {
		return err
	}
	open, err := s.prepareLocked(next)
	if err != nil {
		return err
	}
	text, err := json.Marshal(next)
	if err == nil {
		err = s.place.setState(text)
	}
	if err != nil {
		s.closeUnused(open)
		return err
	}
	s.mu.state = next
	s.serve(open)
	if err := s.tidyLocked(); err != nil {
		s.o.Log.Warn("old versions of the site could not be removed; it is tried again", "error", err)
	}
	return nil
}

// tidyLocked removes the versions that neither a release nor a deployment needs, and their contents; mu is held.
func (s *Site) tidyLocked() error {
	released, now, removed := s.releasedLocked(), s.now(), false
	for id, v := range s.mu.versions {
		if released[id] || now.Sub(v.Created) < abandoned {
			continue
		}
		if err := s.removeVersionLocked(id); err != nil {
			return err
		}
		removed = true
	}
	if !removed {
		return nil
	}
	return s.collectLocked()
}

// releasedLocked returns the ids of the versions of the releases that are kept; mu is held.
func (s *Site) releasedLocked() map[string]bool {
	released := make(map[string]bool)
	for _, c := range s.mu.state.Channels {
		for _, r := range c.Releases {
			released[r.Version] = true
		}
	}
	return released
}

// channelPattern is the form of the ids of channels.
var channelPattern = pattern.New(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$`)

// notInLabel matches what the label of a host can't have.
var notInLabel = pattern.New(`[^a-z0-9-]+`)

// maxLabel is the maximum length of a label of a host, and tail the length of the part that can't be guessed.
const (
	maxLabel = 63
	tail     = 8
)

// prefix returns the prefix of the labels of previews.
func (s *Site) prefix() string { return strings.ToLower(s.o.ID) + "--" }

// label returns the label of a new preview's host.
func (s *Site) label(channel string) string {
	name := s.prefix() + strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(channel), "-"), "-")
	return strings.TrimRight(name[:min(len(name), maxLabel-tail-1)], "-") + "-" + randid.From(tail, "0123456789abcdefghijklmnopqrstuvwxyz")
}

// find returns a channel that has not ended. It returns NotFound for others.
func (st *state) find(id string, now time.Time) (*Channel, error) {
	c := st.Channels[id]
	if c == nil || c.ended(now) {
		return nil, fault.E(fault.NotFound, "Requested entity was not found: the channel %q", id)
	}
	return c, nil
}

// ended reports whether a channel has ended.
func (c *Channel) ended(now time.Time) bool { return !c.Expires.IsZero() && !now.Before(c.Expires) }

// Channel returns a channel.
func (s *Site) Channel(id string) (Channel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.mu.state.find(id, s.now())
	if err != nil {
		return Channel{}, err
	}
	return *c, nil
}

// Channels returns the channels that have not ended, live first and the others by their ids.
func (s *Site) Channels() []Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Channel
	for _, id := range slices.Sorted(maps.Keys(s.mu.state.Channels)) {
		if c := s.mu.state.Channels[id]; id != Live && !c.ended(s.now()) {
			all = append(all, *c)
		}
	}
	return append([]Channel{*s.mu.state.Channels[Live]}, all...)
}

// Life is when a channel ends: after a time, or at a time. Both are zero for never.
type Life struct {
	After time.Duration
	At    time.Time
}

// set sets the end of a channel.
func (c *Channel) set(l Life, now time.Time) error {
	if c.ID == Live && l != (Life{}) {
		return fault.E(fault.InvalidArgument, "The channel live does not end.")
	}
	c.Life, c.Expires = l.After, l.At
	if l.After != 0 {
		c.Expires = now.Add(l.After)
	}
	if l != (Life{}) && (!c.Expires.After(now) || c.Expires.After(now.Add(maxLife))) {
		return fault.E(fault.InvalidArgument, "A channel ends after now, and within %d days.", maxLife/(24*time.Hour))
	}
	return nil
}

// CreateChannel creates a channel without a release.
func (s *Site) CreateChannel(id string, l Life, labels map[string]string) (Channel, error) {
	if !channelPattern.MatchString(id) {
		return Channel{}, fault.E(fault.InvalidArgument, "The id of a channel has 1 to 63 letters, digits, and within them dots, hyphens and underscores, unlike %.100q.", id)
	}
	if err := checkConfig(nil, labels); err != nil {
		return Channel{}, err
	}
	now := s.now()
	c := Channel{ID: id, Label: s.label(id), Labels: labels, Created: now, Updated: now}
	if err := c.set(l, now); err != nil {
		return Channel{}, err
	}
	return c, s.change(func(st *state) error {
		maps.DeleteFunc(st.Channels, func(_ string, c *Channel) bool { return c.ended(now) })
		switch {
		case st.Channels[id] != nil:
			return fault.E(fault.AlreadyExists, "Requested entity already exists: the channel %q", id)
		case len(st.Channels) >= maxChannels:
			return fault.E(fault.ResourceExhausted, "The site has %d channels, the maximum. Delete some of them.", maxChannels)
		}
		own := c
		st.Channels[id] = &own
		return nil
	})
}

// UpdateChannel sets the end and the labels of a channel unless they are nil.
func (s *Site) UpdateChannel(id string, l *Life, labels map[string]string) (out Channel, err error) {
	if err := checkConfig(nil, labels); err != nil {
		return Channel{}, err
	}
	err = s.change(func(st *state) error {
		c, err := st.find(id, s.now())
		if err != nil {
			return err
		}
		if l != nil {
			if err := c.set(*l, s.now()); err != nil {
				return err
			}
		}
		if labels != nil {
			c.Labels = labels
		}
		c.Updated = s.now()
		out = *c
		return nil
	})
	return out, err
}

// DeleteChannel deletes a channel with its releases.
func (s *Site) DeleteChannel(id string) error {
	if id == Live {
		return fault.E(fault.InvalidArgument, "The channel live can't be deleted.")
	}
	return s.change(func(st *state) error {
		if _, err := st.find(id, s.now()); err != nil {
			return err
		}
		delete(st.Channels, id)
		return nil
	})
}

// NewRelease describes a release that is made.
type NewRelease struct {
	// Channel and Version are their ids. The version is empty if the type is Disable.
	Channel, Version  string
	Type, Message, By string
}

// Release releases a finalized version in a channel, or disables the site. When it returns, all requests that begin are
// served from it.
func (s *Site) Release(ctx context.Context, n NewRelease) (out Release, err error) {
	if n.Type == "" {
		n.Type = Deploy
	}
	switch {
	case n.Type != Deploy && n.Type != Rollback && n.Type != Disable:
		return Release{}, fault.E(fault.InvalidArgument, "The type of a release is DEPLOY, ROLLBACK or SITE_DISABLE, not %.100q.", n.Type)
	case (n.Type == Disable) != (n.Version == ""):
		return Release{}, fault.E(fault.InvalidArgument, "A release has a version, unless its type is SITE_DISABLE.")
	case len(n.Message) > maxMessage:
		return Release{}, fault.E(fault.InvalidArgument, "The message has %d bytes, more than %d.", len(n.Message), maxMessage)
	case ctx.Err() != nil:
		return Release{}, fault.Ended(ctx.Err(), "The request was cancelled.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.mu.versions[n.Version]; n.Version != "" && v == nil {
		return Release{}, errNoVersion(n.Version)
	} else if v != nil && v.Status != Finalized {
		return Release{}, errNotFinalized(n.Version)
	}
	err = s.changeLocked(func(st *state) error {
		c, err := st.find(n.Channel, s.now())
		if err != nil {
			return err
		}
		st.LastRelease = max(st.LastRelease+1, s.now().UnixMilli())
		out = Release{ID: strconv.FormatInt(st.LastRelease, 10), Type: n.Type, Version: n.Version, Message: n.Message, Time: s.now(), By: n.By}
		c.Releases = append([]Release{out}, c.Releases[:min(len(c.Releases), Kept-1)]...)
		c.Updated = out.Time
		if c.Life != 0 {
			c.Expires = out.Time.Add(c.Life)
		}
		return nil
	})
	return out, err
}

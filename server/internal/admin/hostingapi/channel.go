package hostingapi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"clave/server/internal/admin/route"
	"clave/server/internal/base/fault"
	"clave/server/internal/transport/hosting/versions"
)

// release is a release of the API.
type release struct {
	Name        string    `json:"name"`
	Version     *version  `json:"version,omitempty"`
	Type        string    `json:"type"`
	Message     string    `json:"message,omitempty"`
	ReleaseTime time.Time `json:"releaseTime"`
	ReleaseUser *user     `json:"releaseUser,omitempty"`
}

// shownRelease returns a release as the API shows it, without its version if that was deleted.
func (a *API) shownRelease(c *route.Call, channel string, r *versions.Release) *release {
	out := &release{Name: a.name(c, "channels", channel, "releases", r.ID), Type: r.Type, Message: r.Message, ReleaseTime: r.Time, ReleaseUser: by(r.By)}
	if v, err := a.o.Site.Get(r.Version); err == nil {
		out.Version = a.shownVersion(c, &v)
	}
	return out
}

// channel is a channel of the API.
type channel struct {
	Name       string            `json:"name"`
	Release    *release          `json:"release,omitempty"`
	CreateTime time.Time         `json:"createTime"`
	UpdateTime time.Time         `json:"updateTime"`
	URL        string            `json:"url"`
	Retained   int               `json:"retainedReleaseCount"`
	Labels     map[string]string `json:"labels,omitempty"`
	ExpireTime time.Time         `json:"expireTime,omitzero"`
}

// shownChannel returns a channel as the API shows it.
func (a *API) shownChannel(c *route.Call, of *versions.Channel) *channel {
	out := &channel{
		Name: a.name(c, "channels", of.ID), CreateTime: of.Created, UpdateTime: of.Updated, URL: a.o.URL(of.Label), Retained: versions.Kept, Labels: of.Labels, ExpireTime: of.Expires,
	}
	if len(of.Releases) > 0 {
		out.Release = a.shownRelease(c, of.ID, &of.Releases[0])
	}
	return out
}

// channelFields are the fields of a channel in a request. Those that the server sets are ignored.
type channelFields struct {
	TTL        string            `json:"ttl"`
	ExpireTime time.Time         `json:"expireTime"`
	Labels     map[string]string `json:"labels"`
	Retained   int               `json:"retainedReleaseCount"`
	Name       any               `json:"name"`
	Release    any               `json:"release"`
	CreateTime any               `json:"createTime"`
	UpdateTime any               `json:"updateTime"`
	URL        any               `json:"url"`
}

// life returns the end of a channel.
func (f *channelFields) life() (versions.Life, error) {
	l := versions.Life{At: f.ExpireTime}
	if f.TTL == "" {
		return l, nil
	}
	if !f.ExpireTime.IsZero() {
		return l, fault.E(fault.InvalidArgument, "A channel has a ttl or an expireTime, not both.")
	}
	n, ok := route.Seconds(f.TTL)
	if !ok || !(n > 0 && n <= float64(1<<31)) {
		return l, fault.E(fault.InvalidArgument, "Invalid value at 'ttl' (Duration): %.100q", f.TTL)
	}
	l.After = time.Duration(n * float64(time.Second))
	return l, nil
}

// checked decodes a channel and checks what the server can't change.
func (f *channelFields) checked(c *route.Call) error {
	if err := c.Decode(f); err != nil {
		return err
	}
	if f.Retained != 0 && f.Retained != versions.Kept {
		return fault.E(fault.Unimplemented, "This server keeps the latest %d releases of each channel.", versions.Kept)
	}
	return nil
}

// listChannels returns the channels.
func (a *API) listChannels(_ context.Context, c *route.Call) (any, error) {
	page, next, err := route.Page(c, a.o.Site.Channels(), 10)
	out := struct {
		Channels []*channel `json:"channels,omitempty"`
		Next     string     `json:"nextPageToken,omitempty"`
	}{Next: next}
	for i := range page {
		out.Channels = append(out.Channels, a.shownChannel(c, &page[i]))
	}
	return out, err
}

// createChannel creates a channel.
func (a *API) createChannel(_ context.Context, c *route.Call) (any, error) {
	var in channelFields
	if err := in.checked(c); err != nil {
		return nil, err
	}
	l, err := in.life()
	if err != nil {
		return nil, err
	}
	made, err := a.o.Site.CreateChannel(c.Query.Get("channelId"), l, in.Labels)
	if err != nil {
		return nil, err
	}
	return a.shownChannel(c, &made), nil
}

// getChannel returns a channel.
func (a *API) getChannel(_ context.Context, c *route.Call) (any, error) {
	found, err := a.o.Site.Channel(c.Vars["channel"])
	if err != nil {
		return nil, err
	}
	return a.shownChannel(c, &found), nil
}

// updateChannel changes the end and the labels of a channel.
func (a *API) updateChannel(_ context.Context, c *route.Call) (any, error) {
	var in channelFields
	if err := in.checked(c); err != nil {
		return nil, err
	}
	changes, err := mask(c, "ttl", "expireTime", "labels", "retainedReleaseCount")
	if err != nil {
		return nil, err
	}
	var end *versions.Life
	if changes("ttl") || changes("expireTime") {
		l, err := in.life()
		if err != nil {
			return nil, err
		}
		if l != (versions.Life{}) || c.Query.Has("updateMask") || c.Query.Has("update_mask") {
			end = &l
		}
	}
	if !changes("labels") {
		in.Labels = nil
	}
	changed, err := a.o.Site.UpdateChannel(c.Vars["channel"], end, in.Labels)
	if err != nil {
		return nil, err
	}
	return a.shownChannel(c, &changed), nil
}

// deleteChannel deletes a channel.
func (a *API) deleteChannel(_ context.Context, c *route.Call) (any, error) {
	return nil, a.o.Site.DeleteChannel(c.Vars["channel"])
}

// channelOf returns the channel of a request: the one that the path names, or live.
func channelOf(c *route.Call) string { return cmp.Or(c.Vars["channel"], versions.Live) }

// listReleases returns the latest releases of a channel, the newest first.
func (a *API) listReleases(_ context.Context, c *route.Call) (any, error) {
	of, err := a.o.Site.Channel(channelOf(c))
	if err != nil {
		return nil, err
	}
	page, next, err := route.Page(c, of.Releases, 100)
	out := struct {
		Releases []*release `json:"releases,omitempty"`
		Next     string     `json:"nextPageToken,omitempty"`
	}{Next: next}
	for i := range page {
		out.Releases = append(out.Releases, a.shownRelease(c, of.ID, &page[i]))
	}
	return out, err
}

// getRelease returns a release.
func (a *API) getRelease(_ context.Context, c *route.Call) (any, error) {
	of, err := a.o.Site.Channel(channelOf(c))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(of.Releases, func(r versions.Release) bool { return r.ID == c.Vars["release"] })
	if i < 0 {
		return nil, fault.E(fault.NotFound, "Requested entity was not found: the release %q", c.Vars["release"])
	}
	return a.shownRelease(c, of.ID, &of.Releases[i]), nil
}

// createRelease releases a version, or disables the site.
func (a *API) createRelease(ctx context.Context, c *route.Call) (any, error) {
	var in struct {
		Type        string `json:"type"`
		Message     string `json:"message"`
		Name        any    `json:"name"`
		Version     any    `json:"version"`
		ReleaseTime any    `json:"releaseTime"`
		ReleaseUser any    `json:"releaseUser"`
	}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if in.Type == "TYPE_UNSPECIFIED" {
		in.Type = ""
	}
	n := versions.NewRelease{Channel: channelOf(c), Type: in.Type, Message: in.Message, By: c.By()}
	if name := cmp.Or(c.Query.Get("versionName"), c.Query.Get("version_name")); name != "" {
		id, err := a.versionOf(c, name)
		if err != nil {
			return nil, err
		}
		n.Version = id
	}
	r, err := a.o.Site.Release(ctx, n)
	if err != nil {
		return nil, err
	}
	return a.shownRelease(c, n.Channel, &r), nil
}

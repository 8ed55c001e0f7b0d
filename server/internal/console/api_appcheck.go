package console

import (
	"context"

	"clave/server/internal/auth/appcheck"
	"clave/server/internal/auth/appcheck/debugtoken"
	"clave/server/internal/base/fault"
	"clave/server/internal/base/randid"
	"clave/server/internal/cluster/nodeservice"
	"clave/server/internal/observe/meter"
)

// AppCheck is what the console shows and changes of App Check.
type AppCheck struct {
	// Settings has the modes of the products, and DebugTokens the debug tokens of apps.
	Settings    *appcheck.Settings
	DebugTokens *debugtoken.Registry
	// Others returns what the other nodes have counted, and which did not answer; nil if the server is the only one.
	Others func(context.Context) ([]nodeservice.Answer[meter.Checks], error)
}

// productJSON is a product with its mode, and the requests to all nodes since their starts by what App Check found.
type productJSON struct {
	Service string `json:"service"`
	Mode    string `json:"mode"`
	// Updated is the time of the last change; empty for the mode of the flag.
	Updated string            `json:"updated,omitempty"`
	Counts  map[string]uint64 `json:"counts"`
}

// checkedNodeJSON is a node whose counts are part of the sums, or that did not answer.
type checkedNodeJSON struct {
	Name string `json:"name"`
	// Since is the time of its start.
	Since string `json:"since,omitempty"`
	// Error says why its counts are missing.
	Error string `json:"error,omitempty"`
}

// checks returns the sums of what all nodes have counted, and the nodes, this one first; no nodes if this is the only
// one.
func (c *Console) checks(ctx context.Context, a *AppCheck) (sums meter.Checks, nodes []checkedNodeJSON, err error) {
	sums, nodes = c.o.Meter.Checks(), []checkedNodeJSON{}
	if a.Others == nil {
		return sums, nodes, nil
	}
	others, err := a.Others(ctx)
	if err != nil {
		return sums, nil, err
	}
	nodes = append(nodes, checkedNodeJSON{Name: c.o.Node, Since: timeText(sums.Started)})
	for _, one := range others {
		if one.Err != nil {
			nodes = append(nodes, checkedNodeJSON{Name: one.Node, Error: fault.Reason(one.Err)})
			continue
		}
		nodes = append(nodes, checkedNodeJSON{Name: one.Node, Since: timeText(one.Out.Started)})
		for i, counts := range one.Out.Counts {
			for j, n := range counts {
				sums.Counts[i][j] += n
			}
		}
	}
	return sums, nodes, nil
}

// appCheck returns what the methods of App Check need, or an error if the server has none.
func (c *Console) appCheck() (*AppCheck, error) {
	if c.o.AppCheck == nil {
		return nil, fault.E(fault.FailedPrecondition, "App Check is not set up on this server. Start it with --app-check.")
	}
	return c.o.AppCheck, nil
}

// getAppCheck returns the modes of the products with their counts, and the debug tokens without their secrets.
func (c *Console) getAppCheck(in *call) (any, error) {
	a, err := c.appCheck()
	if err != nil {
		return nil, err
	}
	modes, err := a.Settings.List()
	if err != nil {
		return nil, err
	}
	tokens, err := a.DebugTokens.List(in.Context(), c.o.Project)
	if err != nil {
		return nil, err
	}
	sums, nodes, err := c.checks(in.Context(), a)
	if err != nil {
		return nil, err
	}
	products := make([]productJSON, 0, len(modes))
	for i, m := range modes {
		one := productJSON{Service: m.Service, Mode: m.Mode, Counts: make(map[string]uint64)}
		if !m.Updated.IsZero() {
			one.Updated = timeText(m.Updated)
		}
		for j, n := range sums.Counts[i] {
			one.Counts[meter.CheckedNames[j]] = n
		}
		products = append(products, one)
	}
	if tokens == nil {
		tokens = []debugtoken.Info{}
	}
	return map[string]any{"since": timeText(sums.Started), "nodes": nodes, "products": products, "tokens": tokens}, nil
}

// putAppCheckMode stores the mode of a product.
func (c *Console) putAppCheckMode(in *call) (any, error) {
	var body struct {
		Service string `json:"service"`
		Mode    string `json:"mode"`
	}
	return c.changeAppCheck(in, &body, func() string { return body.Service + " " + body.Mode }, func(ctx context.Context, a *AppCheck) (any, error) {
		return struct{}{}, a.Settings.Set(ctx, []appcheck.ServiceMode{{Service: body.Service, Mode: body.Mode}})
	})
}

// postDebugToken makes a debug token, which only this response contains.
func (c *Console) postDebugToken(in *call) (any, error) {
	var body struct {
		App  string `json:"app"`
		Name string `json:"name"`
	}
	return c.changeAppCheck(in, &body, func() string { return "debug token of app " + body.App }, func(ctx context.Context, a *AppCheck) (any, error) {
		secret := randid.UUID()
		id, err := a.DebugTokens.Add(ctx, c.o.Project, body.App, body.Name, secret)
		return map[string]any{"id": id, "token": secret}, err
	})
}

// postDebugTokenRemove removes a debug token. The ids of apps have colons, so they are in the body.
func (c *Console) postDebugTokenRemove(in *call) (any, error) {
	var body struct {
		App string `json:"app"`
		ID  string `json:"id"`
	}
	return c.changeAppCheck(in, &body, func() string { return "debug token " + body.ID + " of app " + body.App }, func(ctx context.Context, a *AppCheck) (any, error) {
		return struct{}{}, a.DebugTokens.Remove(ctx, c.o.Project, body.App, body.ID)
	})
}

// changeAppCheck decodes a body, and makes and records a change whose target it names.
func (c *Console) changeAppCheck(in *call, body any, target func() string, change func(context.Context, *AppCheck) (any, error)) (any, error) {
	a, err := c.appCheck()
	if err != nil {
		return nil, err
	}
	if err := in.decode(body); err != nil {
		return nil, err
	}
	text := []rune(target())
	const longest = 256
	ended, err := in.change(c.o.Project, "app check", string(text[:min(len(text), longest)]))
	if err != nil {
		return nil, err
	}
	out, err := change(in.Context(), a)
	ended(err)
	if err != nil {
		return nil, err
	}
	return out, nil
}

package debugtoken

import "context"

// Socket is the socket in the data folder of a server at which commands reach it, and ServiceName the name of the
// leader's service for them.
const (
	Socket      = "appcheck.sock"
	ServiceName = "appcheck"
)

// MaxRequest is the maximum size of a request, in bytes.
const MaxRequest = 1 << 14

// Request is a request about the debug tokens of a project: to add one, to remove one, or without both to list them.
type Request struct {
	Project string   `json:"project"`
	Add     *Added   `json:"add,omitempty"`
	Remove  *Removed `json:"remove,omitempty"`
}

// Added is a debug token that a request adds.
type Added struct {
	App    string `json:"app"`
	Name   string `json:"name,omitempty"`
	Secret string `json:"secret"`
}

// Removed names a debug token that a request removes.
type Removed struct {
	App string `json:"app"`
	ID  string `json:"id"`
}

// Response is the response: the list of debug tokens, or the id of an added one.
type Response struct {
	Tokens []Info `json:"tokens,omitempty"`
	ID     string `json:"id,omitempty"`
}

// Serve serves a request.
func (r *Registry) Serve(ctx context.Context, in Request) (*Response, error) {
	out := new(Response)
	var err error
	switch {
	case in.Add != nil:
		out.ID, err = r.Add(ctx, in.Project, in.Add.App, in.Add.Name, in.Add.Secret)
	case in.Remove != nil:
		err = r.Remove(ctx, in.Project, in.Remove.App, in.Remove.ID)
	default:
		out.Tokens, err = r.List(ctx, in.Project)
	}
	return out, err
}

package forward

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"clave/server/internal/cluster/readindex"
	"clave/server/internal/httpx/httpjson"
)

// IndexService is the name of the leader's service for read indexes.
const IndexService = "index"

// maxIndex is the maximum size of a request for a read index.
const maxIndex = 1 << 20

// AnswerIndex returns the handler of IndexService. It responds to requests over HTTP, and on the node's streams.
func AnswerIndex(answer func(context.Context, readindex.Request) (readindex.Index, error)) http.Handler {
	return indexHandler(answer)
}

// indexHandler serves requests for read indexes.
type indexHandler func(context.Context, readindex.Request) (readindex.Index, error)

// ServeHTTP implements http.Handler, for nodes of an earlier version.
func (answer indexHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request readindex.Request
	if err := json.NewDecoder(io.LimitReader(r.Body, maxIndex)).Decode(&request); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	index, err := answer(r.Context(), request)
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	httpjson.Write(w, http.StatusOK, index)
}

// Index requests a read index from the leader, until ctx is done; ctx must have a deadline. It does not wait for a
// leader.
func (n *Node) Index(ctx context.Context, request readindex.Request) (index readindex.Index, err error) {
	leader, _ := n.o.Leader()
	if leader.Address == "" || leader.Node == n.o.Name {
		return index, errNotReached
	}
	stream := &n.reading
	if request.Wait {
		stream = &n.waiting
	}
	found, err := stream.request(ctx, n, leader, request)
	switch {
	case errors.Is(err, errNoStreams):
		return n.indexOverHTTP(ctx, leader, request)
	case err != nil:
		return index, err
	case found == nil:
		return index, errIndex
	}
	return *found, nil
}

// indexOverHTTP requests a read index from a leader of an earlier version.
func (n *Node) indexOverHTTP(ctx context.Context, leader Leader, request readindex.Request) (index readindex.Index, err error) {
	ctx, cancel := n.during(leader).Within(ctx)
	defer cancel()
	body, err := json.Marshal(request)
	if err != nil {
		return index, err
	}
	status, answer, err := n.Client().Call(ctx, leader, IndexService, body)
	switch {
	case err != nil:
		return index, err
	case status != http.StatusOK:
		return index, fmt.Errorf("cluster: the leader returned status %d for a read index", status)
	}
	return index, json.Unmarshal(answer, &index)
}

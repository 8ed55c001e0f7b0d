package node

import (
	"context"
	"time"

	"clave/server/internal/base/fault"
	"clave/server/internal/cluster/leaderservice"
)

// projectService is the name of the leader's service that returns its project. A leader of an earlier version has none.
const projectService = "project"

// maxProject is the maximum size of its requests, in bytes.
const maxProject = 1 << 10

// projectTimeout is the time limit for its response.
const projectTimeout = 2 * time.Second

// projectResponse is its response.
type projectResponse struct {
	Project string `json:"project"`
}

// OfferProject registers the service.
func (n *Node) OfferProject() {
	n.Services[projectService] = leaderservice.Handler(maxProject, func(context.Context, struct{}) (projectResponse, error) {
		return projectResponse{n.o.Project.ID}, nil
	})
}

// sameProject returns FailedPrecondition if the node that leads serves another project in production than this one:
// after a fail-over this node would refuse the tokens of all clients. Without a response of the leader it returns nil.
func (n *Node) sameProject(ctx context.Context) error {
	leader, _ := leaderservice.Of(n.Members)()
	if !n.o.Project.Production || leader.Address == "" || leader.Node == n.o.Name {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, projectTimeout)
	defer cancel()
	var out projectResponse
	if err := leaderservice.Call(ctx, n.Forwarder.Client(), leader, projectService, struct{}{}, &out); err != nil {
		n.o.Log.Debug("the leader does not name its project", "leader", leader.Node, "error", err)
		return nil
	}
	if out.Project == n.o.Project.ID {
		return nil
	}
	return fault.E(fault.FailedPrecondition, "--project %s: the node %s, which leads on this PostgreSQL, serves the project %s. Give all nodes of a cluster the same project, and each project its own database.",
		n.o.Project.ID, leader.Node, out.Project)
}

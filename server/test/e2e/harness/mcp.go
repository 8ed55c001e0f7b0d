package harness

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Assistant is a client of the Model Context Protocol at the standard input and output of `clave mcp`.
type Assistant struct {
	t       *testing.T
	session *mcp.ClientSession
}

// Assist runs a command, which is `clave mcp`, and connects to it until the test ends.
func Assist(t *testing.T, cmd *exec.Cmd) *Assistant {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("connecting to clave mcp: %v", err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return &Assistant{t, session}
}

// Tools returns the tools by their names.
func (a *Assistant) Tools() map[string]*mcp.Tool {
	a.t.Helper()
	found, err := a.session.ListTools(a.t.Context(), nil)
	if err != nil {
		a.t.Fatal(err)
	}
	out := make(map[string]*mcp.Tool)
	for _, tool := range found.Tools {
		out[tool.Name] = tool
	}
	return out
}

// Call calls a tool with arguments in JSON and returns the text of its answer, and whether the tool succeeded.
func (a *Assistant) Call(tool, arguments string) (text string, ok bool) {
	a.t.Helper()
	res, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return err.Error(), false
	}
	for _, content := range res.Content {
		if one, isText := content.(*mcp.TextContent); isText {
			text += one.Text
		}
	}
	return text, !res.IsError
}

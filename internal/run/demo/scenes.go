package demo

import (
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
	"golang.org/x/tools/txtar"
)

//go:embed scenes.txtar
var scenesText []byte

// Scenes returns the names of the scenes that [TestAgent] can play, in its order.
func Scenes() (names []string) {
	for _, f := range txtar.Parse(scenesText).Files {
		names = append(names, f.Name)
	}
	return names
}

// late is the name of the scene that is played after the end of the turn.
const late = "late"

// TestAgent plays an agent for the tests of clients. In each turn it plays the scenes that the
// prompt names, or all of them. It responds like agents that leave out what the protocol requires.
// It ends when the client closes in. The error is that of the streams.
func TestAgent(in io.Reader, out io.WriteCloser) error {
	dir, err := os.MkdirTemp("", "acpshim-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	planFile := filepath.Join(dir, "plan.md")
	if err := os.WriteFile(planFile, []byte(planFileText), 0o600); err != nil {
		return err
	}
	a := &testAgent{planFile: fileURI(filepath.ToSlash(planFile))}
	nothing := func(context.Context, *jrpc2.Request) (any, error) { return nil, nil }
	server := jrpc2.NewServer(handler.Map{
		acp.Initialize:             a.initialize,
		acp.SessionNew:             a.create,
		acp.SessionLoad:            nothing,
		acp.SessionSetMode:         nothing,
		acp.SessionClose:           nothing,
		acp.SessionSetConfigOption: func(context.Context, *jrpc2.Request) (any, error) { return map[string]any{}, nil },
		acp.SessionPrompt:          a.prompt,
		acp.SessionCancel:          nothing,
	}, &jrpc2.ServerOptions{AllowPush: true})
	return server.Start(channel.Line(in, out)).Wait()
}

// A testAgent is the agent of [TestAgent].
type testAgent struct{ planFile string }

func (*testAgent) initialize(context.Context, *jrpc2.Request) (any, error) {
	return json.RawMessage(`{"protocolVersion":1,"agentInfo":{"name":"acpshim-test-agent","version":"1"},"agentCapabilities":{"loadSession":true},"authMethods":[]}`), nil
}

// create opens the only session. Before that it sends an update of it, as some agents do.
func (a *testAgent) create(ctx context.Context, _ *jrpc2.Request) (any, error) {
	early := json.RawMessage(`{"sessionId":"demo","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"help","description":"Tell the scenes"}]}}`)
	if err := jrpc2.ServerFromContext(ctx).Notify(ctx, acp.SessionUpdate, early); err != nil {
		return nil, err
	}
	return json.RawMessage(`{"sessionId":"demo","modes":{"currentModeId":"code","availableModes":[{"id":"code","name":"Code"},{"id":"plan","name":"Plan"}]},"configOptions":[{"id":"effort","name":"Effort","type":"select","category":"thought_level","currentValue":"low","options":[{"group":"all","name":"All","options":[{"value":"low"},{"value":"high","name":"High"}]}]}]}`), nil
}

// prompt plays the scenes that a prompt names.
func (a *testAgent) prompt(ctx context.Context, r *jrpc2.Request) (any, error) {
	var p struct {
		SessionID string
		Prompt    []struct{ Text string }
	}
	if err := r.UnmarshalParams(&p); err != nil {
		return nil, err
	}
	var words []string
	text := ""
	for _, block := range p.Prompt {
		text += block.Text
		words = append(words, strings.Fields(block.Text)...)
	}
	isNamed := func(f txtar.File) bool { return slices.Contains(words, f.Name) }
	scenes := txtar.Parse(scenesText).Files
	if slices.ContainsFunc(scenes, isNamed) {
		scenes = slices.DeleteFunc(scenes, func(f txtar.File) bool { return !isNamed(f) })
	}
	server := jrpc2.ServerFromContext(ctx)
	for _, scene := range scenes {
		data := strings.NewReplacer("SESSION", quote(p.SessionID), "PROMPT", quote(text), "PLANFILE", quote(a.planFile)).Replace(string(scene.Data))
		play := func(ctx context.Context) error {
			for line := range strings.Lines(data) {
				if err := playLine(ctx, server, line); err != nil {
					return err
				}
			}
			return nil
		}
		if scene.Name == late {
			time.AfterFunc(100*time.Millisecond, func() { play(context.Background()) })
			continue
		}
		if err := play(ctx); err != nil {
			return nil, err
		}
	}
	return json.RawMessage(`{"stopReason":"end_turn"}`), nil
}

// playLine sends a line of a scene. It ignores that the client does not know a request.
func playLine(ctx context.Context, server *jrpc2.Server, line string) error {
	params := json.RawMessage(strings.TrimSpace(line))
	o, err := wire.Parse(params)
	method := acp.SessionUpdate
	switch {
	case err != nil:
		return err
	case o.Get("options") != nil:
		method = acp.SessionRequestPermission
	case o.Get("requestedSchema") != nil:
		method = acp.ElicitationCreate
	default:
		return server.Notify(ctx, method, params)
	}
	if _, err := server.Callback(ctx, method, params); err != nil && ctx.Err() != nil {
		return err
	}
	return nil
}

func quote(text string) string { return string(wire.Quote(nil, text)) }

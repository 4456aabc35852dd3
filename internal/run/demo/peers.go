package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"acpshim/internal/chain/acp"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
)

// Agent plays a new agent on this process's standard streams. It sends plan updates only to a
// client that announces them. It writes its plan file, and waits for pace after each step. The
// error is that of the streams.
func Agent(planFile string, pace time.Duration) error {
	var plans bool
	server := jrpc2.NewServer(handler.Map{
		acp.Initialize: func(_ context.Context, r *jrpc2.Request) (any, error) {
			var p struct {
				ClientCapabilities struct{ Plan map[string]any }
			}
			err := r.UnmarshalParams(&p)
			plans = p.ClientCapabilities.Plan != nil
			return map[string]any{
				"protocolVersion": 1, acp.AgentCapabilities: map[string]any{},
				"agentInfo": map[string]string{"name": "demo-agent", "version": "1"}, "authMethods": []any{},
			}, err
		},
		acp.SessionNew: func(context.Context, *jrpc2.Request) (any, error) {
			return map[string]string{"sessionId": session}, nil
		},
		acp.SessionPrompt: func(ctx context.Context, _ *jrpc2.Request) (any, error) {
			if !plans {
				return nil, errors.New("the client does not announce plan support")
			}
			return map[string]string{"stopReason": acp.StopEndTurn}, playTurn(ctx, planFile, pace)
		},
	}, &jrpc2.ServerOptions{AllowPush: true})
	return server.Start(channel.Line(os.Stdin, os.Stdout)).Wait()
}

// playTurn writes the plan file and plays the script.
func playTurn(ctx context.Context, planFile string, pace time.Duration) error {
	if err := os.WriteFile(planFile, []byte(planFileText), 0o600); err != nil {
		return err
	}
	// A new file is shown only after a while. An old one is shown at the step that names it.
	atRest := time.Now().Add(-time.Minute)
	if err := os.Chtimes(planFile, atRest, atRest); err != nil {
		return err
	}
	for _, s := range script(planFile) {
		if err := s.do(ctx); err != nil {
			return err
		}
		time.Sleep(pace)
	}
	return nil
}

const session = "demo"

// do sends the update, or asks and waits for the response.
func (s step) do(ctx context.Context) error {
	server := jrpc2.ServerFromContext(ctx)
	if s.method == acp.SessionUpdate {
		return server.Notify(ctx, s.method, s.params)
	}
	_, err := server.Callback(ctx, s.method, s.params)
	return err
}

// A loggingChannel is a channel that logs each message that comes, one per line, in the order of
// the wire. The client may handle them in another order.
type loggingChannel struct {
	channel.Channel
	log io.Writer
}

// Recv implements channel.Channel.
func (l loggingChannel) Recv() ([]byte, error) {
	msg, err := l.Channel.Recv()
	if err == nil {
		fmt.Fprintf(l.log, "%s\n", msg)
	}
	return msg, err
}

// Client plays the client with these clientCapabilities on this process's standard streams. It
// writes what it receives to standard error, one message per line. The error names the request that
// failed.
func Client(capabilities map[string]any, cwd string) error {
	client := jrpc2.NewClient(loggingChannel{channel.Line(os.Stdin, os.Stdout), os.Stderr}, &jrpc2.ClientOptions{
		OnCallback: func(context.Context, *jrpc2.Request) (any, error) {
			return map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": "yes"}}, nil
		},
	})
	defer client.Close()
	for _, call := range []struct {
		method string
		params map[string]any
	}{
		{acp.Initialize, map[string]any{"protocolVersion": 1, acp.ClientCapabilities: capabilities,
			"clientInfo": map[string]string{"name": "demo-client", "version": "1"}}},
		{acp.SessionNew, map[string]any{"cwd": cwd, "mcpServers": []any{}}},
		{acp.SessionPrompt, map[string]any{"sessionId": session, "prompt": []any{map[string]string{"type": "text", "text": "Fix the parser"}}}},
	} {
		if _, err := client.Call(context.Background(), call.method, call.params); err != nil {
			return fmt.Errorf("%s: %w", call.method, err)
		}
	}
	return nil
}

//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"
	"github.com/google/go-cmp/cmp"
)

// The peers of this file are written with github.com/coder/acp-go-sdk, which
// nobody here wrote: it says planCapabilities and id, and reads unknown updates
// by their shape.

// goSDKAgent is the command "go-sdk-agent".
type goSDKAgent struct {
	acp.Agent // the methods that are not called
	conn      *acp.AgentSideConnection
	plans     bool
}

func goSDKAgentMain() {
	// The SDK reads before its constructor has returned: it gets nothing to
	// read until then, or it races with itself.
	ready := make(chan struct{})
	a := &goSDKAgent{}
	a.conn = acp.NewAgentSideConnection(a, os.Stdout, gated{os.Stdin, ready})
	close(ready)
	<-a.conn.Done()
}

type gated struct {
	io.Reader
	open <-chan struct{}
}

func (g gated) Read(p []byte) (int, error) {
	<-g.open
	return g.Reader.Read(p)
}

func (a *goSDKAgent) Initialize(_ context.Context, p acp.InitializeRequest) (acp.InitializeResponse, error) {
	a.plans = p.ClientCapabilities.PlanCapabilities != nil
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber}, nil
}

func (a *goSDKAgent) NewSession(context.Context, acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	return acp.NewSessionResponse{SessionId: "s"}, nil
}

func (a *goSDKAgent) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	if !a.plans {
		return acp.PromptResponse{}, errors.New("the client does not announce plans")
	}
	plan := func(c acp.PlanUpdateContent) acp.SessionUpdate {
		return acp.SessionUpdate{PlanUpdate: &acp.SessionPlanUpdate{Plan: c}}
	}
	for _, u := range []acp.SessionUpdate{
		plan(acp.PlanUpdateContent{Markdown: &acp.PlanUpdateContentMarkdown{Id: "doc", Content: "Mind the comments.\n\n- [x] Reproduce\n- [ ] Patch\n"}}),
		plan(acp.PlanUpdateContent{Items: &acp.PlanUpdateContentItems{Id: "steps", Entries: []acp.PlanEntry{
			{Content: "Build", Priority: acp.PlanEntryPriorityHigh, Status: acp.PlanEntryStatusInProgress}}}}),
		{PlanRemoved: &acp.SessionUpdatePlanRemoved{Id: "steps"}},
		acp.UpdateAgentMessageText("done"),
	} {
		if err := a.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: p.SessionId, Update: u}); err != nil {
			return acp.PromptResponse{}, err
		}
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

// goSDKClient notes what it gets.
type goSDKClient struct {
	acp.Client
	got []string
}

func (c *goSDKClient) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	switch u := n.Update; {
	case u.Plan != nil:
		line := "plan:"
		for _, e := range u.Plan.Entries {
			line += " " + e.Content + "=" + string(e.Status)
		}
		c.got = append(c.got, line)
	case u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Text != nil:
		c.got = append(c.got, "message: "+u.AgentMessageChunk.Content.Text.Text)
	case u.PlanUpdate != nil:
		c.got = append(c.got, "plan_update")
	case u.PlanRemoved != nil:
		c.got = append(c.got, "plan_removed "+string(u.PlanRemoved.Id))
	default:
		c.got = append(c.got, "something else")
	}
	return nil
}

func TestGoSDKPeers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		capabilities acp.ClientCapabilities
		want         []string
	}{
		{"an old client", acp.ClientCapabilities{}, []string{
			"plan: Reproduce=completed Patch=pending",
			"plan: Build=in_progress",
			"plan: Reproduce=completed Patch=pending",
			"message: done",
			"message: \n\nMind the comments.\n\n- [x] Reproduce\n- [ ] Patch\n\n",
		}},
		{"a capable client", acp.ClientCapabilities{PlanCapabilities: &acp.PlanCapabilities{}}, []string{
			"plan_update", "plan_update", "plan_removed steps", "message: done",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			agent := exec.CommandContext(ctx, "acpshim", "--log-level", "off", "--", "go-sdk-agent")
			agent.Stderr = os.Stderr
			stdin, err := agent.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := agent.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := agent.Start(); err != nil {
				t.Fatal(err)
			}
			client := &goSDKClient{}
			conn := acp.NewClientSideConnection(client, stdin, stdout)
			if _, err := conn.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber, ClientCapabilities: test.capabilities}); err != nil {
				t.Fatal(err)
			}
			session, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: t.TempDir(), McpServers: []acp.McpServer{}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Prompt(ctx, acp.PromptRequest{SessionId: session.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("go")}}); err != nil {
				t.Fatal(err)
			}
			stdin.Close()
			if err := agent.Wait(); err != nil {
				t.Errorf("the agent: %v", err)
			}
			if diff := cmp.Diff(test.want, client.got); diff != "" {
				t.Errorf("the client got (-want +got):\n%s", diff)
			}
		})
	}
}

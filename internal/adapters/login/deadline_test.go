package login_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/adapters/deadlines"
	"acpshim/internal/adapters/login"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
)

// The time that a person takes to log in does not count in deadline.open.
func TestTheLoginDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, own := conversation.New(conversation.Options{}), dispatch.NewOwnRequests("own-")
		limits := deadlines.New(deadlines.Options{Conversation: c, Settings: func(_, _ conversation.Implementation) deadlines.Settings {
			return deadlines.Settings{Open: time.Minute}
		}})
		a := login.New(c, own, func(_, _ conversation.Implementation) string { return "key" })
		a.Waits = limits.Pause
		b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{limits, a}, OwnToAgent: own}).Negotiate(1)
		wait := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
			b.Drain()
		}
		b.Says(dispatch.Client, `{"id":1,"method":"session/new","params":{}}`)
		wait(10 * time.Second)
		b.Says(dispatch.Agent, `{"id":1,"error":{"code":-32000,"message":"log in"}}`)
		wait(5 * time.Minute)
		b.Says(dispatch.Agent, `{"id":"own-1","result":{}}`)
		wait(49 * time.Second)
		if len(b.ToClient) > 0 {
			t.Fatalf("the client gets %q", b.ToClient)
		}
		wait(2 * time.Second)
		if got := strings.Join(b.ToClient, ""); !strings.Contains(got, "did not respond to session/new") {
			t.Errorf("then the client gets %q", got)
		}
	})
}

package logging

import (
	"testing"

	"acpshim/translate/plans"
)

// The log says what becomes of plan updates, and nothing that is not so.
func TestWhatFollowsFromANegotiation(t *testing.T) {
	for _, c := range []struct {
		of   plans.Negotiation
		want string
	}{
		{plans.Negotiation{Version: 1, Old: true, ShowAs: plans.AsPlan}, "plan updates become the legacy plan"},
		{plans.Negotiation{Version: 1, Old: true, ShowAs: plans.AsThought}, "plan updates become thoughts"},
		{plans.Negotiation{Version: 1, Old: true, ShowAs: plans.AsNothing}, "plan updates are dropped"},
		{plans.Negotiation{Version: 1, Old: true, Advertised: true, ShowAs: plans.AsMessage}, "plan updates become messages, and plan support was announced to the agent"},
		{plans.Negotiation{Version: 1}, "plan updates pass unchanged, because the client knows them"},
		{plans.Negotiation{Version: 1, Bridged: true}, "the client knows plan updates and gets them in both spellings"},
		{plans.Negotiation{Version: 9, Old: true}, "plan updates pass unchanged, because the agent speaks version 9 of the protocol"},
		{plans.Negotiation{Version: -1, Old: true}, "plan updates pass unchanged, because the agent does not say which version of the protocol it speaks"},
	} {
		if got := follows(c.of); got != c.want {
			t.Errorf("%+v: %s, want %s", c.of, got, c.want)
		}
	}
}

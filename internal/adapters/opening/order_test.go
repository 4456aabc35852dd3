package opening

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/dispatch"
)

// In any order of requests, responses, updates, batches and pauses, nothing that the agent sent
// about a session is overtaken by what it sent later about that session, and nothing is lost. Only
// the response that creates the session may go first.
func TestNothingIsOvertaken(t *testing.T) {
	for seed := range uint64(100) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			w := newWorld(16 << 20)
			session := func() string { return string(rune('a' + random.IntN(4))) }
			ids, sent := 0, 0
			var pending []string // what the agent has to respond to: method, id and session
			mark := func(s string) string {
				sent++
				return fmt.Sprintf(`"mark":"%s-%d"`, s, sent)
			}
			message := func() string {
				s := session()
				switch n := random.IntN(8); {
				case n < 4:
					return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"kind%d",%s}}}`, s, random.IntN(2), mark(s))
				case n == 4:
					return fmt.Sprintf(`{"method":"session/update","params":{"update":{"sessionUpdate":"x",%s,"pad":"%s"},"sessionId":"%s"}}`, mark(s), strings.Repeat("x", random.IntN(2)*random.IntN(600<<10)), s)
				case n == 5:
					method := []string{"session/request_permission", "elicitation/create", "fs/read_text_file"}[random.IntN(3)]
					return fmt.Sprintf(`{"id":%d,"method":"%s","params":{"sessionId":"%s",%s}}`, 1000+sent, method, s, mark(s))
				case len(pending) == 0:
					return fmt.Sprintf(`{"method":"_note","params":{"sessionId":"%s",%s}}`, s, mark(s))
				}
				i := random.IntN(len(pending))
				of := strings.Fields(pending[i])
				pending = append(pending[:i], pending[i+1:]...)
				switch isRefused := random.IntN(3) == 0; {
				case of[0] == "session/new" && isRefused:
					return fmt.Sprintf(`{"id":%s,"error":{"code":1,"message":"no"}}`, of[1])
				case of[0] == "session/new":
					return fmt.Sprintf(`{"id":%s,"result":{"sessionId":"%s"}}`, of[1], s)
				case isRefused:
					return fmt.Sprintf(`{"id":%s,"error":{"code":1,"message":"no",%s}}`, of[1], mark(of[2]))
				}
				return fmt.Sprintf(`{"id":%s,"result":{%s}}`, of[1], mark(of[2]))
			}
			for range 60 {
				switch n := random.IntN(12); {
				case n < 4:
					ids++
					s := session()
					method := []string{"session/new", "session/new", "session/prompt", "session/load", "session/resume", "session/set_mode", "session/close"}[random.IntN(7)]
					pending = append(pending, fmt.Sprint(method, " ", ids, " ", s))
					w.Says(dispatch.Client, fmt.Sprintf(`{"id":%d,"method":"%s","params":{"sessionId":"%s"}}`, ids, method, s))
				case n == 4:
					time.Sleep(time.Duration(random.IntN(4)) * time.Second)
					synctest.Wait()
					w.Drain()
				case n == 5:
					w.Says(dispatch.Agent, "["+message()+","+message()+","+message()+"]")
				default:
					w.Says(dispatch.Agent, message())
				}
			}
			time.Sleep(patience)
			synctest.Wait()
			w.Drain()
			last, got := map[string]int{}, 0
			for _, found := range regexp.MustCompile(`"mark":"(.)-(\d+)"`).FindAllStringSubmatch(strings.Join(w.ToClient, ""), -1) {
				n, _ := strconv.Atoi(found[2])
				if got++; n < last[found[1]] {
					t.Errorf("seed %d: of session %s the client gets %d after %d", seed, found[1], n, last[found[1]])
				}
				last[found[1]] = n
			}
			if got != sent {
				t.Errorf("seed %d: the client gets %d messages, want %d", seed, got, sent)
			}
		})
	}
}

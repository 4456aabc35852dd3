package document

import (
	"strings"
	"sync"

	"acpshim/translate/entry"
)

// words are the words for a status that people and models write, in lower case.
var words = byWord(map[entry.Status]string{
	entry.Completed: `done, complete, completed, finished, implemented,
		erledigt, fertig, abgeschlossen, terminé, fait, hecho, completado, concluído, выполнено, готово,
		完了, 完了済み, 済, 已完成, 完成, 완료`,
	entry.InProgress: `in progress, in-progress, in_progress, inprogress, wip, doing, ongoing, underway, in review,
		partially done, partially complete, nearly complete, almost done,
		in arbeit, en cours, en progreso, em andamento, в работе, 進行中, 作業中, 进行中, 진행 중`,
	entry.Pending: `todo, to do, to-do, pending, planned, not started, not done, backlog,
		tbd, not yet, not implemented, not complete, unplanned,
		offen, à faire, pendiente, pendente, не начато, 未着手, 未完了, 待办, 未开始, 대기`,
	entry.Cancelled: `cancelled, canceled, dropped, abandoned, declined, rejected, skipped, wontfix, won't do, won't fix,
		obsolete, abgebrochen, annulé, cancelado, отменено, 中止, 已取消, 취소`,
})

// weakWords are a status only where one is expected: in a column, or after "Status:". Elsewhere
// they often mean something else.
var weakWords = byWord(map[entry.Status]string{
	entry.Pending:    `missing, no, next, open, deferred, draft, upcoming, waiting, queued, incomplete, blocked`,
	entry.Completed:  `ready, yes, fixed, closed, passed, verified, shipped, merged, resolved`,
	entry.InProgress: `current, active, started, partial`,
	entry.Cancelled:  `removed`,
})

// signs are the emoji for a status without a legend.
var signs = byWord(map[entry.Status]string{
	entry.Completed:  `✅, ☑, ✔, ✓, 🟢, 🎉`,
	entry.InProgress: `🔄, 🚧, 🏗, 🔨, 🟡, ⏩`,
	entry.Pending:    `⏳, ⌛, ⬜, ☐, 🔲, ⏸, 📋, 🔴, 🟠, ⚠, ⭕, 🔜`,
	entry.Cancelled:  `❌, 🚫, ☒, ✗, ✘`,
})

// priorities are the words for a priority, in lower case.
var priorities = byWord(map[entry.Priority]string{
	entry.High:   `p0, p1, critical, urgent, highest, high, hoch, 高, alta, haute`,
	entry.Medium: `p2, medium, normal, moderate, mittel, 中, media, moyenne`,
	entry.Low:    `p3, p4, low, lowest, minor, niedrig, 低, baja, basse`,
})

// flags are the emoji for a priority.
var flags = byWord(map[entry.Priority]string{
	entry.High:   `🔺, ⏫, ‼, ❗, 🔥`,
	entry.Medium: `🔼`,
	entry.Low:    `🔽, ⏬`,
})

// byWord returns a function that returns a table of words. The lists separate words by commas. The
// first call makes the table.
func byWord[V comparable](lists map[V]string) func() map[string]V {
	return sync.OnceValue(func() map[string]V {
		table := map[string]V{}
		for value, list := range lists {
			for word := range strings.SplitSeq(list, ",") {
				table[strings.TrimSpace(word)] = value
			}
		}
		return table
	})
}

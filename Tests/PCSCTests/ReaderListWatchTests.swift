import Determinism
import Synchronization
import Testing

@testable import PCSC

extension WithFakeDaemon {
    @Suite("Readers that come and go") struct ReaderListWatchTests {
        @Test func `every change of the list is told, and a pcscd that ends has no readers`() async throws {
            let time = ManualTime()
            let lists: [FakeDaemon.Reply] = [
                .failed(.noReadersAvailable), .init(bytes: Array("A\0\0".utf8)), .init(bytes: Array("A\0B\0\0".utf8)),
                .failed(.communicationError), .init(bytes: Array("B\0\0".utf8)),
            ]
            let step = Mutex(0)
            let waits = Mutex<[[String]]>([])
            let daemon = FakeDaemon {
                $0.readers = {
                    step.withLock { step in
                        defer { step += 1 }
                        return lists[min(step, lists.count - 1)]
                    }
                }
                $0.change = { known, milliseconds in
                    if milliseconds > 0 { waits.withLock { $0.append(known.map(\.reader)) } }
                    // The reader that is gone, when there is one.
                    return known.contains { $0.reader == "A" } && milliseconds == 0 && step.withLock({ $0 }) > 2
                        ? (.failed(.unknownReader), known) : (.init(), known)
                }
            }
            let (told, telling) = AsyncStream.makeStream(of: [String].self)
            let watch = Task {
                await PCSCReaderListWatch(library: daemon.library, time: time).run { telling.yield($0) }
                telling.finish()
            }
            let reading = Task { () -> [[String]] in
                var all: [[String]] = []
                for await list in told where all.last != list {
                    all.append(list)
                    if all.count == 5 { break }
                }
                return all
            }
            #expect(await time.pass(until: reading) == [[], ["A"], ["A", "B"], [], ["B"]])
            watch.cancel()
            await time.pass(until: watch)
            #expect(waits.withLock { $0.first } == ["\\\\?PnP?\\Notification"])
            #expect(daemon.calls.last == "release")
        }
    }
}

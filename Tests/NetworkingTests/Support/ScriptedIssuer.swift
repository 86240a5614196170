import Networking
import Synchronization

/// Makes passwords `new-1`, `new-2` … after everybody else had a chance to run.
final class ScriptedIssuer: ApplicationPasswordIssuing {
    private let count = Mutex(0)

    var made: Int { count.withLock { $0 } }

    func makePassword() async throws(NetworkError) -> ApplicationPassword {
        for _ in 0..<100 { await Task.yield() }
        let number = count.withLock { count in
            count += 1
            return count
        }
        return ApplicationPassword(username: "user", password: Secret("new-\(number)"))
    }
}

import Connections
import Determinism
import ZVT

/// The connections of one ZVT terminal and its running timers, for the actor that owns it.
struct ZVTWires {
    /// How a timer that ran out reaches the owner, which asks ``takeTimer(_:_:)`` whether it still counts.
    typealias OnTimer = @Sendable (_ timer: ZVTTimer, _ number: Int) async -> Void

    private var lines: [Int: ZVTLine] = [:]
    private var connections = 0
    /// When each connection was used last, as a number that grows.
    private var uses: [Int: Int] = [:]
    private var lastUse = 0
    private var timers: [ZVTTimer: (number: Int, task: Task<Void, Never>)] = [:]
    private var lastTimer = 0
    private let limit: Duration
    private let time: any TimeSource

    /// A till asks for its last transaction, so that few answers of the model are needed.
    static let mostRecords = 100
    /// The most bytes that are read at once.
    static let piece = 4096

    /// - Parameters:
    ///   - limit: how long the till's system may take for a message.
    ///   - time: measures all times.
    init(limit: Duration, time: any TimeSource) { (self.limit, self.time) = (limit, time) }

    /// Takes a connection. Returns its number.
    mutating func open(_ connection: any ByteConnection) -> Int {
        connections += 1
        lines[connections] = ZVTLine(connection, limit: limit, time: time)
        use(connections)
        return connections
    }

    /// Says that bytes came on a connection.
    mutating func use(_ number: Int) {
        guard lines[number] != nil else { return }
        lastUse += 1
        uses[number] = lastUse
    }

    /// The connection that is silent for the longest time, when there are more than a terminal has room for; nil
    /// otherwise. It is never the one whose command runs.
    func silent(beyond most: Int, inDialog: Int?) -> Int? {
        guard lines.count > most else { return nil }
        return lines.keys.filter { $0 != inDialog }.min { (uses[$0] ?? 0) < (uses[$1] ?? 0) }
    }

    func isOpen(_ number: Int) -> Bool { lines[number] != nil }

    func send(_ bytes: [UInt8], on number: Int) { lines[number]?.send(bytes) }

    /// Closes a connection after the messages that wait.
    mutating func close(_ number: Int) {
        uses[number] = nil
        lines.removeValue(forKey: number)?.finish()
    }

    /// Closes all connections.
    mutating func closeAll() { for number in lines.keys { close(number) } }

    /// Carries out an effect of the protocol.
    mutating func obey(_ effect: ZVTEffect, onTimer: @escaping OnTimer) {
        switch effect {
        case .send(let bytes, let number): send(bytes, on: number)
        case .close(let number): close(number)
        case .startTimer(let timer, let duration): start(timer, duration, onTimer)
        case .stopTimer(let timer): timers.removeValue(forKey: timer)?.task.cancel()
        }
    }

    private mutating func start(_ timer: ZVTTimer, _ duration: Duration, _ onTimer: @escaping OnTimer) {
        lastTimer += 1
        let (number, time) = (lastTimer, time)
        timers.removeValue(forKey: timer)?.task.cancel()
        let task = Task {
            do throws(CancellationError) { try await time.sleep(for: duration) } catch { return }
            await onTimer(timer, number)
        }
        timers[timer] = (number, task)
    }

    /// Takes a timer that ran out; false when another one has taken its place meanwhile.
    mutating func takeTimer(_ timer: ZVTTimer, _ number: Int) -> Bool {
        guard timers[timer]?.number == number else { return false }
        timers[timer] = nil
        return true
    }

    /// Stops all timers.
    mutating func stopTimers() {
        for timer in timers.values { timer.task.cancel() }
        timers = [:]
    }
}

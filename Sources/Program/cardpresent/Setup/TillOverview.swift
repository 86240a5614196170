import Doctor
import FoundationEssentials
import Payments
import Simulator
import Storage
import TillConfiguration

/// The parts that a till has and lacks. Reading them changes nothing, opens no reader, and sends nothing.
struct TillOverview: Sendable {
    enum Configuration: Equatable, Sendable {
        /// There is no file, and the defaults apply.
        case absent
        /// The file that was named does not exist.
        case missing(path: String)
        /// The file has mistakes, or can't be read.
        case faulty(path: String)
        case valid(path: String)
    }

    enum Readers: Equatable, Sendable {
        /// The kernel has no USB support.
        case noUSB
        case absent
        /// The user may not open some of them.
        case locked([String])
        /// One of them can't be used as it is, for example without firmware.
        case faulty([String])
        case ready([String])
    }

    enum Database: Equatable, Sendable {
        /// Neither a file nor a home directory is named.
        case unnamed
        case missing(path: String)
        /// Its payments can't be counted without a change, for example because it must be migrated first.
        case unknown(path: String)
        case present(path: String, OpenWork, RestoredBackup)
    }

    /// What is still to be done about a restored backup.
    struct RestoredBackup: Equatable, Sendable {
        /// Whether the host must be asked first: payments stop until it was.
        var isUnconfirmed = false
        /// How many payments and refunds the host has and the backup lacks; nil when its ledger can't be read.
        var lost: Int? = 0
    }

    /// Nil when it took too long to find out. The same is true of the others.
    var configuration: Configuration?
    var readers: Readers?
    var database: Database?
    /// Whether there is a sign-in to a store; also nil when it can't be read.
    var isSignedIn: Bool?

    /// How long each look may take.
    static let timeLimit = Duration.milliseconds(1500)

    /// Looks at this machine.
    static func look(_ options: TillOptions) async -> TillOverview {
        let found = await ShortWork.within(timeLimit) { Self.configuration(options.configuration) }
        let settings = found?.settings ?? .standard
        async let readers = ShortWork.within(timeLimit) { await Self.readers(settings) }
        async let records = ShortWork.within(timeLimit) { Self.records(options.data, settings) }
        return TillOverview(
            configuration: found?.state, readers: await readers, database: await records?.database,
            isSignedIn: await records?.isSignedIn)
    }

    private static func configuration(
        _ options: ConfigurationOptions
    ) -> (state: Configuration, settings: TillConfiguration) {
        guard let path = options.path() else { return (.absent, .standard) }
        do throws(CommandFailure) { return (.valid(path: path), try TillConfiguration.read(path)) } catch {
            return (
                FileManager.default.fileExists(atPath: path) ? .faulty(path: path) : .missing(path: path), .standard
            )
        }
    }

    /// Looks at the kernel's list of devices.
    private static func readers(_ settings: TillConfiguration) async -> Readers {
        let quirks = settings.readerQuirks
        let found = await ReaderCheck(quirks: quirks, firmware: settings.readerFirmware).findings()
        guard !found.contains(where: { $0.verdict == .skipped }) else { return .noUSB }
        let names = found.filter { $0.verdict == .ok }.compactMap(\.subject)
        let faulty = found.filter { $0.verdict != .ok }.compactMap(\.subject)
        guard !names.isEmpty else { return faulty.isEmpty ? .absent : .faulty(faulty) }
        let user = LoginUser.current(environment: ProcessInfo.processInfo.environment)
        let locked = await PermissionCheck(quirks: quirks, user: user).findings().filter { $0.verdict == .problem }
        guard locked.isEmpty else { return .locked(names) }
        return faulty.isEmpty ? .ready(names) : .faulty(faulty)
    }

    /// The names of the connected USB readers, for a question; empty when it takes too long to find out.
    static func connectedReaders(_ settings: TillConfiguration) async -> [String] {
        switch await ShortWork.within(timeLimit, { await Self.readers(settings) }) {
        case .ready(let names), .locked(let names): names
        case nil, .absent, .noUSB, .faulty: []
        }
    }

    private static func records(
        _ data: DatabaseOptions, _ settings: TillConfiguration
    ) -> (database: Database, isSignedIn: Bool?) {
        let path: String
        do throws(CommandFailure) { path = try data.path() } catch { return (.unnamed, nil) }
        let isSignedIn = isSignedIn(besides: path, settings)
        do throws(StorageError) {
            // Before the records: a payment that is taken meanwhile is in them before the host has it.
            let ledger = HostFactory.shortBook(beside: path)
            let work = try OpenWork(of: path)
            return (.present(path: path, work, restoredBackup(work, ledger)), isSignedIn)
        } catch .missing {
            return (.missing(path: path), isSignedIn)
        } catch {
            return (.unknown(path: path), isSignedIn)
        }
    }

    /// Looks for what the host's ledger has beyond the numbers of the database. A copy that was put in place by hand is
    /// found by it, too.
    private static func restoredBackup(_ work: OpenWork, _ ledger: IssuerLedger?) -> RestoredBackup {
        guard let ledger else {
            let mayLack = work.identities.contains { !$0.isCurrent }
            return RestoredBackup(isUnconfirmed: work.isUnconfirmedBackup, lost: mayLack ? nil : 0)
        }
        var found = RestoredBackup(isUnconfirmed: work.isUnconfirmedBackup)
        var lost = 0
        for key in ledger.keys {
            let parts = key.rawValue.split(separator: "-")
            guard parts.count == 2, let number = Int64(parts[1]),
                let identity = work.identities.first(where: { $0.databaseID == parts[0] }),
                number > identity.lastNumber
            else { continue }
            if identity.isCurrent { found.isUnconfirmed = true }
            guard let standing = ledger.standing(key), standing.minorUnits != 0,
                !work.acceptedLosses.contains(key.rawValue)
            else { continue }
            lost += 1
        }
        found.lost = lost
        return found
    }

    private static func isSignedIn(besides database: String, _ settings: TillConfiguration) -> Bool? {
        do { return try SessionVault(besides: database, settings.store).load() != nil } catch { return nil }
    }
}

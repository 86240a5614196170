internal import Determinism
internal import Experiments
internal import Hardware
internal import Networking
internal import Simulator
internal import Storage
internal import Synchronization
internal import USB
internal import Yosemite

/// One run of the program: the till as the command line puts it together, above the boundaries of the session.
final class SessionProcess: Sendable {
    let life: ProcessLife
    let stores: StoresManager
    /// The records themselves, for whoever looks into them from outside.
    let records: SQLiteStorageManager
    private let lease: ProcessLease
    private let tasks: [Task<Void, Never>]

    /// Opens the records and puts the stores together. Nothing is recovered yet.
    ///
    /// - Throws: ``SimulatedSessionError``
    init(number: Int, in world: SessionWorld) throws(SimulatedSessionError) {
        let life = ProcessLife(number: number, log: world.log)
        self.life = life
        life.note(.start, "\(number)")
        do {
            let records = try world.openStorage()
            let storage = ProcessStorage(storage: records, disk: world.disk, life: life)
            let lease = try ProcessLease(in: storage)
            let journal = PaymentJournal(storage: storage, lease: lease)
            let register = CardRegister(storage: storage)
            let key = try CardKey.open(for: register, random: world.random.stream("card key"))
            let history = try StoredCardHistory(
                register: register, key: key, window: world.plan.till.splitSaleWindow, time: world.clock)
            let service = SessionService()
            let till = SessionTill(
                world: world, life: life, storage: storage, journal: journal, history: history, service: service)
            stores = try till.stores()
            (self.records, self.lease) = (records, lease)
            tasks = service.current.map { till.watch($0) } ?? []
            world.note(self)
        } catch let error as StorageError {
            life.end()
            throw .storage(error)
        } catch let error as CardKeyError {
            life.end()
            throw if case .storage(let error) = error { .storage(error) } else { .plan(error.description) }
        } catch {
            life.end()
            throw .fault("\(error)")
        }
    }

    /// The process dies. Its own last calls come to nothing: they only let its tasks end.
    func die() {
        life.end()
        // The kernel drops what the process had locked.
        lease.release()
        for task in tasks { task.cancel() }
        let stores = stores
        Task {
            _ = try? await stores.perform { CardPresentPaymentsAction.cancelPayment(onCompletion: $0) } as Void
            _ = try? await stores.perform { CardPresentPaymentsAction.reset(onCompletion: $0) } as Void
        }
    }

    /// Lets go of the reader, and ends.
    func end() async {
        _ = try? await stores.perform { CardPresentPaymentsAction.reset(onCompletion: $0) } as Void
        life.end()
        lease.release()
        for task in tasks { task.cancel() }
    }
}

/// Where the reader service is left by whoever makes it.
final class SessionService: Sendable {
    private let made = Mutex<(any CardReaderService)?>(nil)

    var current: (any CardReaderService)? { made.withLock { $0 } }

    func keep(_ service: any CardReaderService) { made.withLock { $0 = service } }
}

internal import StoreSite
internal import Yosemite

extension SimulatedSession {
    /// Does something to the world: now, later, or when something is seen.
    ///
    /// - Parameters:
    ///   - act: what is done.
    ///   - trigger: when; nil for now.
    /// - Throws: ``SimulatedSessionError/noSuchReader(_:known:)``, ``SimulatedSessionError/noSuchCard(_:known:)``
    public func perform(_ act: SessionAct, when trigger: SessionTrigger? = nil) throws(SimulatedSessionError) {
        world.perform(act, when: trigger, try world.deed(act) ?? tillDeed(act))
    }

    /// What an act does that is meant for the till.
    private func tillDeed(_ act: SessionAct) -> @Sendable () -> Void {
        { [weak self] in
            switch act {
            case .cancelPayment: self?.send { .cancelPayment(onCompletion: { _ in }) }
            case .cancelRefund: self?.send { .cancelRefund(onCompletion: { _ in }) }
            case .cancelUpdate: self?.send { .cancelCardReaderUpdate(onCompletion: { _ in }) }
            case .crash: self?.crash()
            default: break
            }
        }
    }

    /// Chooses an application where the payment asks for it by hand.
    ///
    /// - Parameter index: its place in ``SessionNeed/application(_:)``; nil to cancel.
    /// - Returns: false when there is no such choice now.
    public func choose(_ index: Int?) -> Bool { world.person.attendant.choose(index) }

    /// Another reader is there from now on.
    ///
    /// - Throws: ``SimulatedSessionError/plan(_:)`` when its name is taken, or the bus is full.
    public func add(_ reader: PlannedReader) throws(SimulatedSessionError) { try world.add(reader) }

    /// Hands an action to the till that nobody waits for.
    private func send(_ makeAction: () -> CardPresentPaymentsAction) {
        let process = process
        guard process.life.isAlive else { return }
        try? process.stores.dispatch(makeAction())
    }
}

public import Simulator

extension ReaderSetup {
    /// A reader in code.
    ///
    /// - Parameters:
    ///   - model: what it is.
    ///   - name: what steps call it.
    ///   - isPluggedIn: whether it is plugged in at the beginning.
    ///   - faults: what goes wrong in it.
    public init(
        _ model: SimulatedReader = .chip(.tpdu), named name: String = "reader", isPluggedIn: Bool = true,
        faults: [SimulatedReaderFault] = []
    ) {
        self.init(name: name, model: model, isPluggedIn: isPluggedIn, faults: faults)
    }
}

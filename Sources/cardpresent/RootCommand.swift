internal import ArgumentParser

/// `cardpresent`
struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cardpresent",
        abstract: "Takes card-present payments, records them and prints their receipts.",
        discussion: """
            Test and development grade: no EMVCo approval, no PCI assessment. The payment host of this version is a \
            simulated issuer, and no money moves.

            Exit codes: 0 approved or done, 1 internal error, 2 declined, 3 cancelled, 4 outcome unknown, 5 reader or \
            card, 6 printer, 7 what was compared differs, 64 usage, 65 bad data, 69 unavailable, 75 try again, 78 \
            configuration.
            """,
        version: "0.1.0",
        subcommands: [
            PayCommand.self, RefundCommand.self, PaymentsCommand.self, ReceiptsCommand.self, PrintersCommand.self,
            DrawerCommand.self, ReadersCommand.self, LoginCommand.self, LogoutCommand.self, SitesCommand.self,
            OrdersCommand.self, CustomersCommand.self, StatsCommand.self, SettingsCommand.self, TaxesCommand.self,
            ShipmentsCommand.self, CommentsCommand.self, NotificationsCommand.self, CardsCommand.self,
            SimulateCommand.self, ExceptionsCommand.self, IssuerCommand.self, ConfigCommand.self,
            FeaturesCommand.self, EMVCommand.self, DebugCommand.self, DoctorCommand.self,
        ])
}

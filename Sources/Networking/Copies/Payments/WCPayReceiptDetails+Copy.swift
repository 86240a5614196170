// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayReceiptDetails.swift: change that, not this.
extension WCPayReceiptDetails {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        accountType: String?? = nil,
        applicationPreferredName: String? = nil,
        dedicatedFileName: String? = nil
    ) -> WCPayReceiptDetails {
        WCPayReceiptDetails(
            accountType: accountType ?? self.accountType,
            applicationPreferredName: applicationPreferredName ?? self.applicationPreferredName,
            dedicatedFileName: dedicatedFileName ?? self.dedicatedFileName)
    }
}

/** The flag of a start that may remove history which the settings do not keep. It is not a setting: it is said once. */
export const removalFlag = '--remove-history'

export { expectReads, seed, start, worker } from './index.js'

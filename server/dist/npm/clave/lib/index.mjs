export { start, worker } from './index.js'
